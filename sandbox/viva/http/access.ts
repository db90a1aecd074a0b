/** The caller: the credential set of a request, and whether it may call this endpoint. */
import type { Account, ClientSet, CredentialSet } from '../books/accounts.ts';
import type { Simulator } from '../simulator.ts';
import { accessRefusal, apiRefusal } from './answers.ts';

export interface Caller {
  readonly set: CredentialSet;
  /** Undefined for the ISV, which names the merchant in each request. */
  readonly account?: Account;
}

/** Requires a valid access token of one of the given sets. Without one: 401. Of another set: 403. */
export function bearerCaller(sim: Simulator, request: Request, ...sets: ClientSet[]): Caller {
  const token = /^Bearer (\S+)$/i.exec(request.headers.get('Authorization') ?? '')?.[1];
  const issued = token === undefined ? undefined : sim.issuer.issued(token);
  if (issued === undefined) {
    throw accessRefusal(401);
  }
  const owner = sim.accounts.clientOf(issued.clientId);
  if (owner === undefined || !sets.includes(owner.set)) {
    throw accessRefusal(403);
  }
  return owner;
}

/** The merchant of a call with a bearer token: the caller's own, or the connected one that an ISV names. */
export function merchantOf(sim: Simulator, { account }: Caller, named: string | undefined): Account {
  if (account !== undefined) {
    if (named !== undefined && named.toLowerCase() !== account.merchantId) {
      throw accessRefusal(403);
    }
    return account;
  }
  if (named === undefined) {
    throw apiRefusal(sim, 400, 'MerchantIdRequired');
  }
  return connectedAccount(sim, named);
}

export function connectedAccount(sim: Simulator, merchantId: string): Account {
  const account = sim.accounts.find(merchantId);
  if (account?.mode !== 'isv') {
    throw accessRefusal(403);
  }
  return account;
}

/** Basic credentials: merchant id and API key, or `ResellerID:MerchantID` and the reseller's key. */
export function basicCaller(sim: Simulator, request: Request): Required<Caller> {
  const pair = basicPair(request);
  if (pair === undefined) {
    throw accessRefusal(request.headers.get('Authorization') === null ? 401 : 403);
  }
  const { user, password } = pair;
  const [reseller = '', connected] = user.split(':');
  const { isv } = sim.accounts;
  if (connected !== undefined) {
    if (
      reseller.toLowerCase() !== isv.resellerId ||
      !sim.accounts.accepts(isv.resellerId, password, isv.resellerApiKey)
    ) {
      throw accessRefusal(401);
    }
    return { set: 'reseller', account: connectedAccount(sim, connected) };
  }
  const account = sim.accounts.find(user);
  if (account === undefined || !sim.accounts.accepts(account.merchantId, password, account.credentials.apiKey)) {
    const client = sim.accounts.clientOf(user);
    throw accessRefusal(
      client !== undefined && sim.accounts.accepts(user, password, client.client.clientSecret) ? 403 : 401,
    );
  }
  return { set: 'apiKey', account };
}

export interface ShownCaller {
  readonly set: CredentialSet | null;
  /** The owner of the credentials, or the merchant that an ISV names. */
  readonly merchantId: string | null;
}

/**
 * The caller that a request names, with valid credentials or not: for the log, and for faults that strike one merchant.
 */
export function shownCaller(sim: Simulator, request: Request, bodyText: string): ShownCaller {
  const token = /^Bearer (\S+)$/i.exec(request.headers.get('Authorization') ?? '')?.[1];
  if (token !== undefined) {
    const owner = sim.accounts.clientOf(sim.issuer.issued(token)?.clientId ?? '');
    return { set: owner?.set ?? null, merchantId: owner?.account?.merchantId ?? namedMerchant(sim, request, bodyText) };
  }
  const shown = basicPair(request)?.user;
  // The OAuth standard form-encodes the client id.
  const user = new URLSearchParams(shown === undefined ? bodyText : `client_id=${shown}`).get('client_id') ?? '';
  const [reseller = '', connected] = user.toLowerCase().split(':');
  if (connected !== undefined && reseller === sim.accounts.isv.resellerId) {
    return { set: 'reseller', merchantId: connected };
  }
  const merchant = sim.accounts.find(user);
  const owner = merchant === undefined ? sim.accounts.clientOf(user) : { set: 'apiKey' as const, account: merchant };
  return { set: owner?.set ?? null, merchantId: owner?.account?.merchantId ?? namedMerchant(sim, request, bodyText) };
}

/** From the query, or from the terminal, session or order that the request names. */
function namedMerchant(sim: Simulator, { url }: Request, bodyText: string): string | null {
  const { pathname, searchParams } = new URL(url);
  const queried = [...searchParams].find(([name]) => name.toLowerCase() === 'merchantid')?.[1];
  const seller = /"terminalMerchantId"\s*:\s*"([^"]+)"/.exec(bodyText)?.[1];
  const [, orderCode = ''] = /"orderCode"\s*:\s*"?(\d+)/.exec(bodyText) ?? [];
  const known = sim.books.sessions.find(pathname.split('/').pop() ?? '') ?? sim.books.orders.find(orderCode);
  return (queried ?? seller)?.toLowerCase() ?? known?.merchantId ?? null;
}

/** The password is the part after the last colon, because the user name of a reseller contains one. */
function basicPair(request: Request): { user: string; password: string } | undefined {
  const encoded = /^Basic (\S+)$/i.exec(request.headers.get('Authorization') ?? '')?.[1];
  const text = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString();
  const colon = text.lastIndexOf(':');
  return colon < 0 ? undefined : { user: text.slice(0, colon), password: text.slice(colon + 1) };
}
