/**
 * Verifies storefront access tokens of one OpenID Connect issuer, whichever it is: its keys are found through discovery
 * and kept, so that it is asked once per execution environment and after a rotation of its keys.
 */
import { createRemoteJWKSet, customFetch, errors, jwtVerify } from 'jose';

export type Claims = Readonly<Record<string, unknown>>;
/** Undefined for a token that is not valid; throws when the issuer cannot be asked. */
export type VerifyToken = (token: string) => Promise<Claims | undefined>;

export interface IssuerSettings {
  readonly issuer: string;
  /** Undefined: not checked, for issuers whose machine tokens carry none. */
  readonly audience: string | undefined;
}

const FETCH_TIMEOUT_MS = 4_000;
/** Signatures only a holder of the private key can make. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

const INVALID = [
  errors.JWTInvalid,
  errors.JWTExpired,
  errors.JWTClaimValidationFailed,
  errors.JWSInvalid,
  errors.JWSSignatureVerificationFailed,
  errors.JWKSNoMatchingKey,
  errors.JWKSMultipleMatchingKeys,
  errors.JOSEAlgNotAllowed,
  errors.JOSENotSupported,
];

export function createVerifyToken(settings: IssuerSettings, request: typeof fetch = fetch): VerifyToken {
  let discovered: ReturnType<typeof discover> | undefined;
  return async (token) => {
    discovered ??= discover(settings, request).catch((error: unknown) => {
      discovered = undefined;
      throw error;
    });
    const keys = await discovered;
    const { issuer, audience } = settings;
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer,
        ...(audience !== undefined && { audience }),
        algorithms: ALGORITHMS,
        requiredClaims: ['exp'],
      });
      return payload;
    } catch (error) {
      if (INVALID.some((kind) => error instanceof kind)) {
        return undefined;
      }
      throw error;
    }
  };
}

/** Plain http is allowed: the issuer's address is a setting, not the caller's word. */
async function discover(
  { issuer }: IssuerSettings,
  request: typeof fetch,
): Promise<ReturnType<typeof createRemoteJWKSet>> {
  const answer = await request(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, {
    signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
    redirect: 'error',
  });
  if (!answer.ok) {
    throw new Error(`the issuer answered ${answer.status}`);
  }
  const metadata = (await answer.json()) as { issuer?: unknown; jwks_uri?: unknown };
  if (metadata.issuer !== issuer || typeof metadata.jwks_uri !== 'string') {
    throw new Error('the discovery document is not of the configured issuer');
  }
  return createRemoteJWKSet(new URL(metadata.jwks_uri), { timeoutDuration: FETCH_TIMEOUT_MS, [customFetch]: request });
}
