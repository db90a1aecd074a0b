/**
 * Verifies storefront access tokens of one OpenID Connect issuer. Its keys are found through discovery and cached, so
 * the issuer is asked once per execution environment and after a rotation of its keys.
 */
import { createRemoteJWKSet, customFetch, errors, jwtVerify } from 'jose';

export type Claims = Readonly<Record<string, unknown>>;
/** Resolves to undefined for an invalid token; throws when the issuer cannot be reached. */
export type VerifyToken = (token: string) => Promise<Claims | undefined>;

export interface IssuerSettings {
  readonly issuer: string;
  /** Undefined: not checked, for issuers whose machine tokens have no audience. */
  readonly audience: string | undefined;
}

const FETCH_TIMEOUT_MS = 4_000;
/** Algorithms that need the private key to sign. */
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

/** Plain http is allowed, because the issuer's address is our own setting. */
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
