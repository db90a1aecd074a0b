/** The addresses to which we post callbacks. Checked when an account is put, and again before each post. */
import { isIP } from 'node:net';

/**
 * A sentence that says what is wrong with the address. Undefined if it is valid. Its name may still resolve to an
 * address of our own network, which is checked before each post. `allowPrivate`: for the sandbox, whose receivers
 * listen on the same machine without TLS.
 */
export function callbackUrlProblem(address: string, allowPrivate: boolean): string | undefined {
  const url = URL.parse(address);
  if (url === null) {
    return 'is not a URL: write https://<host>/<path>';
  }
  if (url.username !== '' || url.password !== '') {
    return 'has a user name or password in it: leave them out, callbacks are signed';
  }
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) {
    return 'is not https: give the receiver a certificate and write https://<host>/<path>';
  }
  if (!allowPrivate && isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0) {
    return 'has an IP address for its host: write the name that its certificate is for';
  }
  return undefined;
}
