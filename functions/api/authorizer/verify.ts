/**
 * Verifies storefront access tokens of one OpenID Connect issuer, whichever it is: its keys are found through discovery
 * and kept, so that it is asked once per execution environment and after a rotation of its keys.
 */
import { JwtVerifier } from 'aws-jwt-verify';
import {
  FailedAssertionError,
  JwtInvalidSignatureError,
  JwtParseError,
  JwtWithoutValidKidError,
  KidNotFoundInJwksError,
  WaitPeriodNotYetEndedJwkError,
} from 'aws-jwt-verify/error';
import { SimpleJwksCache } from 'aws-jwt-verify/jwk';

export type Claims = Readonly<Record<string, unknown>>;
/** Undefined for a token that is not valid; throws when the issuer cannot be asked. */
export type VerifyToken = (token: string) => Promise<Claims | undefined>;

export interface IssuerSettings {
  readonly issuer: string;
  /** Undefined: not checked, for issuers whose machine tokens carry none. */
  readonly audience: string | undefined;
}

const FETCH_TIMEOUT_MS = 4_000;

const INVALID = [
  FailedAssertionError,
  JwtInvalidSignatureError,
  JwtParseError,
  JwtWithoutValidKidError,
  KidNotFoundInJwksError,
  WaitPeriodNotYetEndedJwkError,
];

export function createVerifyToken(settings: IssuerSettings, request: typeof fetch = fetch): VerifyToken {
  let discovered: ReturnType<typeof discover> | undefined;
  return async (token) => {
    discovered ??= discover(settings, request).catch((error: unknown) => {
      discovered = undefined;
      throw error;
    });
    const verifier = await discovered;
    try {
      return await verifier.verify(token);
    } catch (error) {
      if (INVALID.some((kind) => error instanceof kind)) {
        return undefined;
      }
      throw error;
    }
  };
}

async function discover({ issuer, audience }: IssuerSettings, request: typeof fetch) {
  const fetcher = { fetch: (uri: string) => fetchBytes(uri, request) };
  const document = await fetcher.fetch(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
  const metadata = JSON.parse(Buffer.from(document).toString()) as { issuer?: unknown; jwks_uri?: unknown };
  if (metadata.issuer !== issuer || typeof metadata.jwks_uri !== 'string') {
    throw new Error('the discovery document is not of the configured issuer');
  }
  return JwtVerifier.create(
    { issuer, audience: audience ?? null, jwksUri: metadata.jwks_uri },
    { jwksCache: new SimpleJwksCache({ fetcher }) },
  );
}

/** Plain http is allowed: the issuer's address is a setting, not the caller's word. */
async function fetchBytes(uri: string, request: typeof fetch): Promise<ArrayBuffer> {
  const answer = await request(uri, { signal: AbortSignal.timeout(FETCH_TIMEOUT_MS), redirect: 'error' });
  if (!answer.ok) {
    throw new Error(`the issuer answered ${answer.status}`);
  }
  return answer.arrayBuffer();
}
