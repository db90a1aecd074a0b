/**
 * Protects the sandbox from web pages. It listens on this machine only, but a browser on this machine runs pages that
 * can send requests to its ports, or have a host name resolve to it (DNS rebinding). The storefront API does not need
 * this: it gives nothing to a caller without a token or a secret path, here as in the cloud.
 */
interface Headers {
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
  readonly 'sec-fetch-site'?: string | undefined;
}

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;

/** Whether the request uses a name of this machine. For addresses that pages of others may send a browser to. */
export function isByLoopbackName({ host = '' }: Headers): boolean {
  return LOOPBACK.test(host);
}

/** Whether the caller is also no page of another origin. Programs such as `curl` send no origin. */
export function isOwnCaller(headers: Headers): boolean {
  const { host = '', origin, 'sec-fetch-site': site = 'none' } = headers;
  const isSameOrigin = origin === undefined || origin.toLowerCase() === `http://${host.toLowerCase()}`;
  return isByLoopbackName(headers) && isSameOrigin && (site === 'none' || site === 'same-origin');
}

/** The answer to all other callers. */
export const FOREIGN_CALLER =
  'The sandbox accepts requests to localhost, 127.0.0.1 and [::1] only, and none from web pages of other origins.';
