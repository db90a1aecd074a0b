/** The rules for a merchant's callback address. They are checked when it is stored, and again before each post. */
import { isIP } from 'node:net';

/**
 * What is wrong with the address and what to write instead, as the end of a sentence. Undefined if the address is valid.
 * A host name may still resolve to a private address, so that is checked again after it was resolved. `allowPrivate`: for
 * the sandbox, whose receivers listen on the same machine without TLS.
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
