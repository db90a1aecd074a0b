/**
 * The credential sets of an account (docs/viva.md, "Credentials"), from its one secret in Secrets Manager: read when
 * first needed, kept for five minutes, and read again when the platform refuses them. During a rotation the platform
 * may still take the previous values, so they are tried once, too.
 *
 * Every set is optional: an account has what it uses. Errors name the secret and the set, never the content.
 */

import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import * as z from 'zod/mini';
import { FaultError, TransientError } from '../flow/errors.ts';
import { UUID } from '../payments/references.ts';
import { MINUTE_MS } from '../payments/time.ts';
import { parseJson } from './json.ts';

const text = z.string().check(z.minLength(1));
const client = z.object({ clientId: text, clientSecret: text });

const schemas = {
  pos: client,
  smartCheckout: client,
  native: client,
  apiKey: text,
  callbackSecret: text,
  /** Two at a time while the address of the webhook changes. In a merchant's secret or in the ISV's. */
  webhookPathTokens: z.array(text),
  // Only in the ISV's secret:
  isv: client,
  reseller: z.object({ resellerId: text, apiKey: text }),
};

export type CredentialSet = keyof typeof schemas;
export type Credential<S extends CredentialSet> = z.output<(typeof schemas)[S]>;
/** The sets that are OAuth clients. */
export type ClientSet = 'pos' | 'smartCheckout' | 'native' | 'isv';
export type ClientCredential = z.output<typeof client>;

/** The owner of the ISV's secret. Every other owner is a merchant id. */
export const isvOwner = 'isv';

/** Whether the text can be an owner. The text of a path or a command may be anything. */
export function isOwner(text: string): boolean {
  return text === isvOwner || UUID.test(text);
}

export function secretName(prefix: string, owner: string): string {
  return owner === isvOwner ? `${prefix}/isv` : `${prefix}/accounts/${owner}`;
}

export interface Credentials {
  get<S extends CredentialSet>(owner: string, set: S): Promise<Credential<S>>;
  /** Like `get`, but reads the secret again. */
  readAgain<S extends CredentialSet>(owner: string, set: S): Promise<Credential<S>>;
  /**
   * Runs `attempt`, which resolves to undefined if the platform refuses the credentials. Then runs it once more with
   * the secret read again, and once with the previous version of the secret if that differs. Throws a FaultError
   * CREDENTIALS_REFUSED if all are refused.
   */
  use<S extends CredentialSet, T>(
    owner: string,
    set: S,
    attempt: (credential: Credential<S>) => Promise<T | undefined>,
  ): Promise<T>;
}

type Secret = Readonly<Record<string, unknown>>;

const KEPT_MS = 5 * MINUTE_MS;

export function createCredentials(
  secrets: SecretsManagerClient,
  prefix: string,
  now: () => number = Date.now,
): Credentials {
  const kept = new Map<string, { readonly secret: Promise<Secret>; readonly until: number }>();

  const keep = (name: string, secret: Promise<Secret>) => {
    const entry = { secret, until: now() + KEPT_MS };
    kept.set(name, entry);
    secret.catch(() => kept.get(name) === entry && kept.delete(name));
    return secret;
  };
  const read = (name: string) =>
    keep(
      name,
      readSecret(secrets, name, 'AWSCURRENT').then((secret) => secret ?? Promise.reject(missing(name))),
    );
  const known = (name: string) => {
    const entry = kept.get(name);
    return entry !== undefined && now() < entry.until ? entry.secret : read(name);
  };

  return {
    async get(owner, set) {
      const name = secretName(prefix, owner);
      return pick(await known(name), name, set);
    },

    async readAgain(owner, set) {
      const name = secretName(prefix, owner);
      return pick(await read(name), name, set);
    },

    async use(owner, set, attempt) {
      const name = secretName(prefix, owner);
      const first = await attempt(pick(await known(name), name, set));
      if (first !== undefined) {
        return first;
      }
      const current = await read(name);
      const second = await attempt(pick(current, name, set));
      if (second !== undefined) {
        return second;
      }
      const previous = await readSecret(secrets, name, 'AWSPREVIOUS');
      if (previous?.[set] !== undefined && JSON.stringify(previous[set]) !== JSON.stringify(current[set])) {
        const third = await attempt(pick(previous, name, set));
        if (third !== undefined) {
          keep(name, Promise.resolve(previous));
          return third;
        }
      }
      throw new FaultError('CREDENTIALS_REFUSED', `the platform refuses ${set} of ${name}`);
    },
  };
}

function pick<S extends CredentialSet>(secret: Secret, name: string, set: S): Credential<S> {
  if (secret[set] === undefined) {
    throw missing(name, set);
  }
  const parsed = schemas[set].safeParse(secret[set]);
  if (!parsed.success) {
    throw malformed(name, [set, ...(parsed.error.issues[0]?.path ?? [])].join('.'));
  }
  return parsed.data as Credential<S>;
}

async function readSecret(secrets: SecretsManagerClient, name: string, stage: string): Promise<Secret | undefined> {
  let value: string | undefined;
  try {
    const answer = await secrets.send(new GetSecretValueCommand({ SecretId: name, VersionStage: stage }));
    value = answer.SecretString;
  } catch (error) {
    if (error instanceof Error && error.name === 'ResourceNotFoundException') {
      return undefined;
    }
    throw new TransientError('CREDENTIALS_UNREADABLE', `cannot read ${name}`, { cause: error });
  }
  return parseSecret(name, value);
}

/** Its errors quote nothing of the value. */
function parseSecret(name: string, value: string | undefined): Secret {
  const parsed = parseJson(value ?? '');
  if (typeof parsed !== 'object' || parsed === null) {
    throw malformed(name);
  }
  return parsed as Secret;
}

function missing(name: string, field?: string): FaultError {
  return new FaultError('CREDENTIALS_MISSING', field === undefined ? `there is no ${name}` : `no ${field} in ${name}`);
}

function malformed(name: string, field?: string): FaultError {
  const where = field === undefined ? name : `${field} in ${name}`;
  return new FaultError('CREDENTIALS_MALFORMED', `${where} is not as documented`);
}
