/** Detects outages of AWS services. */
const THROTTLED = /Throttl|ThroughputExceeded|RequestLimitExceeded|TooManyRequests/;

/** Whether the service failed, throttled or did not answer. False for a request that it refused: that is our fault. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) {
    return false;
  }
  const { $fault, $retryable } = error as { $fault?: string; $retryable?: object };
  return (
    $fault === 'server' ||
    $retryable !== undefined ||
    THROTTLED.test(error.name) ||
    error.name === 'TimeoutError' ||
    'syscall' in error
  );
}
