/**
 * Posts to an address that a merchant chose, which may be wrong or hostile: over HTTPS, without redirects, and never to
 * a private address. The addresses of a name are checked when the connection is made, so a DNS answer that changes in
 * between cannot bypass the check.
 */
import { lookup as resolve } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { callbackUrlProblem } from '../../../shared/events/callback-url.ts';

export interface Posted {
  readonly accepted: boolean;
  /** The HTTP status, or the reason why there is none. */
  readonly status: string;
}

/** Never rejects: an error becomes the status. */
export type Post = (url: string, headers: Readonly<Record<string, string>>, body: string) => Promise<Posted>;

const TIMEOUT_MS = 10_000;
const REFUSED = 'ADDRESS_REFUSED';
const NO_ANSWER = 'NO_ANSWER';

/** `allowPrivate` is for the sandbox, whose receivers listen on the same machine without TLS. */
export function createPost({ allowPrivate }: { readonly allowPrivate: boolean }): Post {
  return async (address, headers, body) => {
    if (callbackUrlProblem(address, allowPrivate) !== undefined) {
      return { accepted: false, status: REFUSED };
    }
    const url = new URL(address);
    // Loaded on demand: `node:http` costs 20 ms of a cold start, and only the sandbox needs it.
    const { request: send } = await (url.protocol === 'https:' ? import('node:https') : import('node:http'));
    const statusCode = new Promise<number>((answered, failed) => {
      const request = send(url, {
        method: 'POST',
        headers: { ...headers, 'content-length': Buffer.byteLength(body) },
        agent: false,
        signal: AbortSignal.timeout(TIMEOUT_MS),
        ...(!allowPrivate && { lookup: publicOnly }),
      });
      request.on('error', failed);
      request.on('response', (response) => {
        answered(response.statusCode ?? 0);
        response.destroy();
      });
      request.on('close', () => failed(failure(NO_ANSWER)));
      request.end(body);
    });
    return statusCode.then(
      (status) => ({ accepted: status >= 200 && status < 300, status: String(status) }),
      (error: NodeJS.ErrnoException) => ({ accepted: false, status: error.code ?? error.name }),
    );
  };
}

/** Resolves a name; fails when any of its addresses is not public. */
export const publicOnly: LookupFunction = (hostname, options, callback) => {
  resolve(hostname, { ...options, all: true }, (error, addresses) => {
    const first = addresses?.[0];
    if (first === undefined) {
      callback(error ?? failure('ENOTFOUND'), []);
    } else if (addresses.some(({ address }) => isPrivate(address))) {
      callback(failure(REFUSED), []);
    } else if (options.all) {
      callback(null, addresses);
    } else {
      callback(null, first.address, first.family);
    }
  });
};

function failure(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code });
}

/** The ranges of IANA's special-purpose registries that are not globally reachable, documentation included, and multicast. */
const notPublic = new BlockList();
for (const [net, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  notPublic.addSubnet(net, prefix, 'ipv4');
}
const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');
/** The exceptions within the global range: protocols, including those that embed an IPv4 address, and documentation. */
for (const [net, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  notPublic.addSubnet(net, prefix, 'ipv6');
}

export function isPrivate(address: string): boolean {
  return isIP(address) === 6
    ? !globalUnicast.check(address, 'ipv6') || notPublic.check(address, 'ipv6')
    : notPublic.check(address, 'ipv4');
}
