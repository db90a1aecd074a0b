/** Whether an AWS service failed, throttled or did not answer. What it refuses for good is our error. */
const THROTTLED = /Throttl|ThroughputExceeded|RequestLimitExceeded|TooManyRequests/;

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
