import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AuthorizerEvent, authorize } from '../../../../functions/api/authorizer/authorizer.ts';
import { createVerifyToken, type VerifyToken } from '../../../../functions/api/authorizer/verify.ts';
import { mayInvoke, type PolicyStatements } from '../../../../sandbox/cloud/gateway/policy.ts';
import { routes, scopes } from '../../../../shared/api/routes.ts';

const issuer = 'https://issuer.example/tenant';
const api = 'arn:aws:execute-api:eu-west-1:111122223333:abc123';
const methodArn = `${api}/v1/GET/sales/some-id`;

type Keys = Awaited<ReturnType<typeof generateKeyPair>>;
let keys: Keys;
let otherKeys: Keys;
let asked: string[];
const redirects = new Set<unknown>();
let issuerIsAway: boolean;
let keysAreAway: boolean;
/** Fields that replace those of the discovery document. */
let discovered: object;
let verify: VerifyToken;

beforeAll(async () => {
  keys = await generateKeyPair('RS256');
  otherKeys = await generateKeyPair('RS256');
});

beforeEach(() => {
  asked = [];
  issuerIsAway = false;
  keysAreAway = false;
  discovered = {};
  verify = createVerifyToken({ issuer, audience: undefined }, answering);
});

const answering: typeof fetch = async (url, init) => {
  asked.push(String(url));
  redirects.add(init?.redirect);
  if (issuerIsAway) {
    throw new TypeError('fetch failed');
  }
  if (keysAreAway && String(url).endsWith('/keys')) {
    return Response.json({}, { status: 503 });
  }
  return String(url).endsWith('/.well-known/openid-configuration')
    ? Response.json({ issuer, jwks_uri: `${issuer}/keys`, ...discovered })
    : Response.json({ keys: [{ ...(await exportJWK(keys.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }] });
};

const claims = { iss: issuer, client_id: 'till', scope: 'sales/read merchants/8D3A6C1E-52B4-4F0A-9A4E-6F1D2C3B4A59' };

function token(payload: JWTPayload = claims, { privateKey }: Keys = keys, lifetimeSeconds = 600): Promise<string> {
  return new SignJWT(payload)
    .setProtectedHeader({ alg: 'RS256', kid: 'one', typ: 'at+jwt' })
    .setExpirationTime(Math.floor(Date.now() / 1000) + lifetimeSeconds)
    .sign(privateKey);
}

function withToken(authorizationToken: string): AuthorizerEvent {
  return { type: 'TOKEN', methodArn, authorizationToken };
}

async function decide(payload?: JWTPayload) {
  return authorize(withToken(`Bearer ${await token(payload)}`), verify);
}

/** What a token of these scopes may call, with a resource policy beside it that allows everything. */
async function grantedBy(scope: string) {
  const { policyDocument } = await decide({ ...claims, scope });
  const everybody = { Effect: 'Allow', Action: 'execute-api:Invoke', Resource: 'execute-api:/*' };
  const statements = [everybody, ...policyDocument.Statement] as PolicyStatements;
  return {
    may: (call: string) => mayInvoke(statements, { methodArn: `${api}/v1/${call}`, sourceIp: '10.0.0.1' }),
  };
}

describe('a valid token', () => {
  it('allows exactly the methods of its scopes and denies every other, whatever method was called', async () => {
    const { policyDocument } = await decide();
    const allowed = [`${api}/v1/GET/sales`, `${api}/v1/GET/sales/*`];

    expect(policyDocument.Statement).toEqual([
      { Action: 'execute-api:Invoke', Effect: 'Allow', Resource: allowed },
      { Action: 'execute-api:Invoke', Effect: 'Deny', NotResource: allowed },
    ]);
  });

  it('opens nothing else, however a path is written, although the API’s own policy allows everybody', async () => {
    const { may } = await grantedBy('sales/read orders/read');

    expect(['GET/sales', 'GET/sales/7', 'GET/rf-orders', 'GET/rf-orders/7'].filter((call) => !may(call))).toEqual([]);
    expect(
      [
        'POST/sales',
        'DELETE/rf-orders/7',
        'DELETE/rf%2dorders/7',
        'DELETE/rf%2Dorders/7',
        'DELETE//rf-orders/7',
        'GET/c%61rds',
        'POST/%73ales/7/abort',
        'POST/%77ebhooks/a/b',
      ].filter(may),
    ).toEqual([]);
  });

  it('opens only the routes of each scope', async () => {
    for (const scope of scopes) {
      const { may } = await grantedBy(scope);
      const opened = routes.filter(({ method, path }) => may(`${method}${path.replaceAll(/\{\w+\}/g, '7')}`));

      expect(opened).toEqual(routes.filter((route) => route.scope === scope));
    }
  });

  it('allows every route when it has every scope', async () => {
    const { policyDocument } = await decide({ ...claims, scope: scopes.join(' ') });

    expect(policyDocument.Statement).toMatchObject([
      { Effect: 'Allow', Resource: { length: routes.length } },
      { Effect: 'Deny', NotResource: { length: routes.length } },
    ]);
  });

  it('allows nothing when it has none of our scopes', async () => {
    const { policyDocument } = await decide({ ...claims, scope: 'openid' });

    expect(policyDocument.Statement).toEqual([{ Action: 'execute-api:Invoke', Effect: 'Deny', Resource: '*' }]);
  });

  it('passes on the client and its merchants', async () => {
    const { context, principalId } = await decide();

    expect(principalId).toBe('till');
    expect(context).toEqual({
      client: 'till',
      issuer,
      merchants: '8d3a6c1e-52b4-4f0a-9a4e-6f1d2c3b4a59',
      scopes: 'sales/read',
    });
  });

  it.each([
    ['scp as list', { scp: ['sales/read', 'merchants/all'] }],
    ['scp as text', { scp: 'sales/read merchants/all' }],
    ['scope as list', { scope: ['sales/read', 'merchants/all'] }],
    ['scope as text', { scope: 'sales/read merchants/all' }],
  ])('is accepted with its scopes in %s', async (_, carrier) => {
    const { context } = await decide({ iss: issuer, azp: 'till', ...carrier });

    expect(context).toMatchObject({ client: 'till', merchants: 'all', scopes: 'sales/read' });
  });

  it('is accepted in a request event, whatever the case of the header', async () => {
    const event = { type: 'REQUEST', methodArn, headers: { AUTHORIZATION: `bearer ${await token()}` } };

    expect(await authorize(event as unknown as AuthorizerEvent, verify)).toMatchObject({ principalId: 'till' });
  });

  it('fetches the issuer’s keys once', async () => {
    await decide();
    await decide();

    expect(asked).toEqual([`${issuer}/.well-known/openid-configuration`, `${issuer}/keys`]);
  });
});

describe('an invalid token is Unauthorized', () => {
  const refused = (header: string) =>
    expect(authorize(withToken(header), verify)).rejects.toThrow(new Error('Unauthorized'));

  it.each(['', 'Bearer', 'Bearer x', 'Bearer a.b.c', 'Basic dXNlcjpwYXNz'])('refuses %j', async (header) => {
    await refused(header);
  });

  it.each([
    ['without the Authorization header', { Accept: '*/*' }],
    ['without any header', null],
  ])('refuses a request event %s', async (_, headers) => {
    const event = { type: 'REQUEST', methodArn, headers } as unknown as AuthorizerEvent;

    await expect(authorize(event, verify)).rejects.toThrow(new Error('Unauthorized'));
  });

  it('refuses a token signed with another key', async () => {
    await refused(`Bearer ${await token(claims, otherKeys)}`);
  });

  it('refuses an expired token', async () => {
    await refused(`Bearer ${await token(claims, keys, -1)}`);
  });

  it('refuses a token of another issuer', async () => {
    await refused(`Bearer ${await token({ ...claims, iss: 'https://other.example' })}`);
  });

  it('refuses an unsigned token', async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

    await refused(`Bearer ${part({ alg: 'none', kid: 'one' })}.${part({ ...claims, exp: 9_999_999_999 })}.x`);
  });

  it('refuses an id token: it identifies a person, not a client', async () => {
    await refused(`Bearer ${await token({ ...claims, token_use: 'id' })}`);
  });

  it('refuses a token for another audience when an audience is configured', async () => {
    verify = createVerifyToken({ issuer, audience: 'tillflow' }, answering);

    await refused(`Bearer ${await token({ ...claims, aud: 'other' })}`);
    expect(await authorize(withToken(`Bearer ${await token({ ...claims, aud: 'tillflow' })}`), verify)).toBeDefined();
  });
});

it('an unreachable issuer is an outage and not the caller’s fault, and is asked again', async () => {
  issuerIsAway = true;
  await expect(decide()).rejects.not.toThrow('Unauthorized');
  issuerIsAway = false;

  expect(await decide()).toMatchObject({ principalId: 'till' });
});

it('an issuer whose keys cannot be read is an outage', async () => {
  keysAreAway = true;
  await expect(decide()).rejects.not.toThrow('Unauthorized');
  keysAreAway = false;

  expect(await decide()).toMatchObject({ principalId: 'till' });
});

describe('the discovery document of an issuer', () => {
  it.each([
    ['the issuer is another one', { issuer: 'https://other.example' }],
    ['the issuer is another tenant of the same host', { issuer: `${issuer}/other` }],
    ['the issuer is missing', { issuer: undefined }],
    ['the address of the keys is missing', { jwks_uri: undefined }],
    ['the address of the keys is not a string', { jwks_uri: ['https://issuer.example/keys'] }],
  ])('is not trusted when %s: no keys are fetched and every token is refused', async (_, said) => {
    discovered = said;

    await expect(decide()).rejects.not.toThrow('Unauthorized');
    expect(asked).toEqual([`${issuer}/.well-known/openid-configuration`]);
  });

  it('is read again after it was wrong', async () => {
    discovered = { issuer: 'https://other.example' };
    await expect(decide()).rejects.toThrow('not of the configured issuer');
    discovered = {};

    expect(await decide()).toMatchObject({ principalId: 'till' });
  });

  it('does not follow redirects', async () => {
    await decide();

    expect(redirects.has('follow') || redirects.has(undefined)).toBe(false);
  });
});
