/**
 * Keeps web pages away from the sandbox. It listens on this machine only, but so does the browser of whoever runs it, and
 * any page in there can send requests to a port of this machine, or have a name of its own point at it (DNS rebinding).
 * The storefront API does without: it opens nothing to a caller without a token or a secret path, here as in the cloud.
 */
interface Headers {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
  readonly 'sec-fetch-site'?: string | undefined;
}

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;

/** Whether the caller calls this machine by a name of its own. For what browsers may be sent to by pages of others. */
export function isByLoopbackName({ host = '' }: Headers): boolean {
  return LOOPBACK.test(host);
}

/** Whether it is no page of another origin, either. Programs such as `curl` name no origin. */
export function isOwnCaller(headers: Headers): boolean {
  const { host = '', origin, 'sec-fetch-site': site = 'none' } = headers;
  const isSameOrigin = origin === undefined || origin.toLowerCase() === `http://${host.toLowerCase()}`;
  return isByLoopbackName(headers) && isSameOrigin && (site === 'none' || site === 'same-origin');
}

/** What everybody else is told. */
export const FOREIGN_CALLER =
  'The sandbox accepts requests to localhost, 127.0.0.1 and [::1] only, and none from web pages of other origins.';
