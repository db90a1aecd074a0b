/**
 * Tries every credential set of an account against the platform and reports what is missing. It requests access tokens
 * and reads a transaction that cannot exist: nothing is created and no money moves.
 */

import { FlowError } from '../shared/flow/errors.ts';
import type { Credential, CredentialSet, Credentials } from '../shared/viva/credentials.ts';

export interface Finding {
  readonly set: CredentialSet;
  readonly ok: boolean;
  readonly says: string;
}

interface VivaUrls {
  readonly authUrl: string;
  readonly baseUrl: string;
}

interface ClientCheck {
  readonly set: 'pos' | 'smartCheckout' | 'native' | 'isv';
  readonly scope: string;
  readonly without: string;
}

const TIMEOUT_MS = 10_000;
const SCOPE = 'urn:viva:payments:';

const merchantClients: readonly ClientCheck[] = [
  { set: 'pos', scope: 'ecr:api', without: 'it may not use terminals. Check that these are the POS APIs credentials.' },
  {
    set: 'smartCheckout',
    scope: 'core:api:acquiring:cardtokenization',
    without: 'it may not store cards. Ask the platform to enable the tokenization role for this merchant.',
  },
];
const nativeClient: ClientCheck = {
  set: 'native',
  scope: 'core:api:nativecheckoutv2',
  without: 'it may not charge stored cards. Ask the platform to enable native checkout for this merchant.',
};
const isvClient: ClientCheck = {
  set: 'isv',
  scope: 'core:api:isv',
  without: 'it may not act for merchants. Check that these are the ISV credentials.',
};

/** `mode` decides which sets the account needs: a merchant its own native client, a connected one the ISV's. */
export async function checkAccount(
  { merchantId, mode }: { readonly merchantId: string; readonly mode: 'merchant' | 'isv' },
  credentials: Credentials,
  urls: VivaUrls,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const check of mode === 'isv' ? merchantClients : [...merchantClients, nativeClient]) {
    findings.push(await checkClient(check, merchantId, credentials, urls));
  }
  findings.push(await checkBasic('apiKey', merchantId, credentials, (apiKey) => `${merchantId}:${apiKey}`, urls));
  if (mode === 'isv') {
    findings.push(await checkClient(isvClient, 'isv', credentials, urls));
    findings.push(
      await checkBasic(
        'reseller',
        'isv',
        credentials,
        (pair) => `${pair.resellerId}:${merchantId}:${pair.apiKey}`,
        urls,
      ),
    );
  }
  return findings;
}

async function checkClient(
  { set, scope, without }: ClientCheck,
  owner: string,
  credentials: Credentials,
  { authUrl }: VivaUrls,
): Promise<Finding> {
  return finding(set, async () => {
    const { clientId, clientSecret } = await credentials.get(owner, set);
    const answer = await fetch(`${authUrl}/connect/token`, {
      method: 'POST',
      headers: { authorization: basic(`${clientId}:${clientSecret}`) },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!answer.ok) {
      return `The identity server refuses the client (${answer.status}). Check id, secret and environment.`;
    }
    const { scope: granted = '' } = (await answer.json()) as { scope?: string };
    return granted.split(' ').includes(`${SCOPE}${scope}`) ? undefined : `The client is accepted, but ${without}`;
  });
}

async function checkBasic<S extends 'apiKey' | 'reseller'>(
  set: S,
  owner: string,
  credentials: Credentials,
  pair: (credential: Credential<S>) => string,
  { baseUrl }: VivaUrls,
): Promise<Finding> {
  return finding(set, async () => {
    const authorization = basic(pair(await credentials.get(owner, set)));
    const answer = await fetch(`${baseUrl}/api/transactions/${crypto.randomUUID()}`, {
      headers: { authorization },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await answer.body?.cancel();
    return answer.status === 401 || answer.status === 403
      ? `The payment API refuses the key (${answer.status}). Check merchant id and key, and the API switches of the account.`
      : undefined;
  });
}

/** `problem` resolves to undefined when all is well; an error that it throws is reported as well. */
async function finding(set: CredentialSet, problem: () => Promise<string | undefined>): Promise<Finding> {
  try {
    const says = await problem();
    return { set, ok: says === undefined, says: says ?? 'works' };
  } catch (error) {
    const says = error instanceof FlowError ? error.message : 'The platform cannot be reached from here.';
    return { set, ok: false, says };
  }
}

function basic(pair: string): string {
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}
