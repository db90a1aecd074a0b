import { describe, expect, it } from 'vitest';
import type { FaultError } from '../../../../shared/flow/errors.ts';
import type { Tokens } from '../../../../shared/tokens/store.ts';
import { type AccessTokens, createAccessTokens } from '../../../../shared/viva/access-tokens.ts';
import { createCredentials } from '../../../../shared/viva/credentials.ts';
import { FakeNetwork, json, networkFailure, type Script } from '../../../fakes/network.ts';
import { MemorySecrets } from '../../../fakes/secrets.ts';
import { MemoryTokens } from '../../../fakes/tokens.ts';

const NAME = 'tillflow/test/accounts/m-1';
const SECRET = {
  pos: { clientId: 'pos.client', clientSecret: 's+e/c%r=et' },
  native: { clientId: 'n', clientSecret: 'n' },
};
const plenty = () => 20_000;
const short = () => 4_500;

class World {
  at = Date.parse('2026-11-21T10:00:00Z');
  issued = 0;
  expiresIn: unknown = 3600;
  readonly secrets = new MemorySecrets();
  readonly tokens = new MemoryTokens(() => this.at);
  readonly network: FakeNetwork = new FakeNetwork(() => this.issue());

  constructor() {
    this.secrets.put(NAME, SECRET);
  }

  issue(): Response {
    return json(200, { access_token: `token-${++this.issued}`, expires_in: this.expiresIn, token_type: 'Bearer' });
  }

  answer(script: Script): void {
    this.network.script = script;
  }

  get requests(): number {
    return this.network.asked.length;
  }

  pass(seconds: number): void {
    this.at += seconds * 1000;
  }

  /** A function instance with a memory of its own; all instances share the table. */
  instance(tokens: Tokens = this.tokens): AccessTokens {
    const now = () => this.at;
    return createAccessTokens({
      authUrl: 'http://auth.test',
      credentials: createCredentials(this.secrets.client, 'tillflow/test', now),
      tokens,
      fetch: this.network.fetch,
      now,
    });
  }
}

const value = async (instance: AccessTokens, remainingMs = plenty) =>
  (await instance.get('m-1', 'pos', remainingMs)).value;

describe('an access token', () => {
  it('is requested with client credentials, id and secret unchanged', async () => {
    const world = new World();

    await value(world.instance());

    const [request] = world.network.asked;
    expect(request).toMatchObject({ method: 'POST', host: 'auth.test', path: '/connect/token' });
    expect(request?.headers.get('content-type')).toMatch(/^application\/x-www-form-urlencoded/);
    expect(request?.authorization).toBe(`Basic ${Buffer.from('pos.client:s+e/c%r=et').toString('base64')}`);
    expect(request?.body).toBe('grant_type=client_credentials');
  });

  it('comes from memory, then from the table, then from the identity server', async () => {
    const world = new World();
    const first = world.instance();

    expect([await value(first), await value(first), await value(world.instance())]).toEqual([
      'token-1',
      'token-1',
      'token-1',
    ]);
    expect(world.requests).toBe(1);
  });

  it('is read from the table once by an instance that then keeps it in memory', async () => {
    const world = new World();
    let reads = 0;
    const get: Tokens['get'] = (kind, id) => {
      reads++;
      return world.tokens.get(kind, id);
    };
    await value(world.instance());
    const instance = world.instance({ ...world.tokens, remove: async () => {}, get });

    await value(instance);
    await value(instance);

    expect(reads).toBe(1);
  });

  it('is separate for each merchant and credential set', async () => {
    const world = new World();
    world.secrets.put('tillflow/test/accounts/m-2', SECRET);
    const instance = world.instance();

    const tokens = [
      await instance.get('m-1', 'pos', plenty),
      await instance.get('m-2', 'pos', plenty),
      await instance.get('m-1', 'native', plenty),
    ];

    expect(new Set(tokens.map(({ id }) => id)).size).toBe(3);
    expect(new Set(tokens.map((token) => token.value)).size).toBe(3);
  });

  it('of the ISV is shared by all its merchants', async () => {
    const world = new World();
    world.secrets.put('tillflow/test/isv', { isv: { clientId: 'i', clientSecret: 'i' } });
    const instance = world.instance();

    expect(await instance.get('m-1', 'isv', plenty)).toEqual(await instance.get('m-2', 'isv', plenty));
  });

  it('of another client id is another token', async () => {
    const world = new World();
    await value(world.instance());
    world.secrets.put(NAME, { pos: { clientId: 'other', clientSecret: 'x' } });

    expect(await value(world.instance())).toBe('token-2');
  });
});

describe('concurrent requests for an access token', () => {
  it('from 200 cold instances cause one fetch', async () => {
    const world = new World();
    world.answer(async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      return world.issue();
    });

    const values = await Promise.all(Array.from({ length: 200 }, () => value(world.instance())));

    expect(new Set(values)).toEqual(new Set(['token-1']));
    expect(world.requests).toBe(1);
  });

  it('from 200 callers in one instance cause one fetch and one read of the table', async () => {
    const world = new World();
    let reads = 0;
    const get: Tokens['get'] = (kind, id) => {
      reads++;
      return world.tokens.get(kind, id);
    };
    const instance = world.instance({ ...world.tokens, remove: async () => {}, get });

    await Promise.all(Array.from({ length: 200 }, () => value(instance)));

    expect(world.requests).toBe(1);
    expect(reads).toBe(2);
  });

  it('after the platform refused a token cause one fetch', async () => {
    const world = new World();
    const instances = Array.from({ length: 50 }, () => world.instance());
    const old = await Promise.all(instances.map((instance) => instance.get('m-1', 'pos', plenty)));

    const fresh = await Promise.all(
      instances.map(async (instance, index) => {
        await instance.drop(old[index]!);
        return value(instance);
      }),
    );

    expect(new Set(fresh)).toEqual(new Set(['token-2']));
    expect(world.requests).toBe(2);
  });

  it('every second for an hour from one of ten instances cause two fetches', async () => {
    const world = new World();
    const instances = Array.from({ length: 10 }, () => world.instance());

    for (let second = 0; second < 3600; second++) {
      await value(instances[second % 10]!);
      world.pass(1);
    }

    expect(world.requests).toBe(2);
  });
});

describe('the renewal of an access token', () => {
  it('starts five minutes before its end, while others use the old token', async () => {
    const world = new World();
    const [one, other] = [world.instance(), world.instance()];
    await Promise.all([value(one), value(other)]);
    world.pass(3600 - 300);
    const asked = Promise.withResolvers<void>();
    const reply = Promise.withResolvers<Response>();
    world.answer(() => {
      asked.resolve();
      return reply.promise;
    });

    const renewing = value(one);
    await asked.promise;

    expect(await value(other)).toBe('token-1');
    reply.resolve(world.issue());
    expect(await renewing).toBe('token-2');
    expect(await value(other)).toBe('token-2');
  });

  it('is left to a longer invocation when a short one has to make its own call', async () => {
    const world = new World();
    const instance = world.instance();
    await value(instance);
    world.pass(3600 - 200);

    expect(await value(instance, short)).toBe('token-1');
    expect(await value(instance, plenty)).toBe('token-2');
  });

  it.each([
    ['is down', () => json(503, '')],
    ['refuses the client', () => json(400, { error: 'invalid_client' })],
  ])('keeps the token in use until its end when the identity server %s', async (_, script) => {
    const world = new World();
    const instance = world.instance();
    await value(instance);
    world.answer(script);

    world.pass(3600 - 21);
    expect(await value(instance)).toBe('token-1');

    world.pass(1);
    await expect(value(instance)).rejects.toBeInstanceOf(Error);
  });

  it('is awaited when the old token would end before the call that uses it', async () => {
    const world = new World();
    const [one, other] = [world.instance(), world.instance()];
    await value(one);
    world.pass(3600 - 22);
    const asked = Promise.withResolvers<void>();
    const reply = Promise.withResolvers<Response>();
    world.answer(() => {
      asked.resolve();
      return reply.promise;
    });
    const renewing = value(one);
    await asked.promise;

    world.pass(1);
    expect(await value(other)).toBe('token-1');
    world.pass(1);
    const waiting = value(other);
    reply.resolve(world.issue());

    expect(await Promise.all([renewing, waiting])).toEqual(['token-2', 'token-2']);
    expect(world.requests).toBe(2);
  });

  it('counts the lifetime from receipt, not from the token’s own claims', async () => {
    const world = new World();
    const instance = world.instance();
    world.expiresIn = 1000;
    await value(instance);

    world.pass(699);
    expect(await value(instance)).toBe('token-1');
    world.pass(1);
    expect(await value(instance)).toBe('token-2');
  });
});

describe('a lease whose owner died', () => {
  it('is taken over when it ends', async () => {
    const world = new World();
    const asked = Promise.withResolvers<void>();
    world.answer(() => {
      asked.resolve();
      return new Promise(() => {});
    });
    void value(world.instance()).catch(() => {});
    await asked.promise;
    world.answer(() => world.issue());

    const waiting = value(world.instance());
    await new Promise((resolve) => setTimeout(resolve, 250));
    expect(world.requests).toBe(1);
    world.pass(7);

    expect(await waiting).toBe('token-1');
  });

  it('makes a short invocation give up in time with a retryable error', async () => {
    const world = new World();
    const asked = Promise.withResolvers<void>();
    world.answer(() => {
      asked.resolve();
      return new Promise(() => {});
    });
    void value(world.instance()).catch(() => {});
    await asked.promise;
    const endsAt = Date.now() + 3_300;

    await expect(value(world.instance(), () => endsAt - Date.now())).rejects.toMatchObject({
      name: 'TransientError',
      code: 'NOT_ENOUGH_TIME',
    });
  });
});

describe('the table of access tokens', () => {
  it('does not block the owner of a lease whose write got no answer', async () => {
    const world = new World();
    let lost = true;
    const tokens: Tokens = {
      get: world.tokens.get,
      remove: (kind, id) => world.tokens.remove(kind, id),
      put: async (...args) => {
        const written = await world.tokens.put(...args);
        const answered = lost ? false : written;
        lost = false;
        return answered;
      },
    };

    expect(await value(world.instance(tokens))).toBe('token-1');
  });

  it('makes a call retryable when it cannot be read', async () => {
    const world = new World();
    const tokens: Tokens = {
      ...world.tokens,
      remove: async () => {},
      get: () => Promise.reject(new Error('throttled')),
    };

    await expect(value(world.instance(tokens))).rejects.toMatchObject({
      name: 'TransientError',
      code: 'ACCESS_TOKENS_UNREADABLE',
    });
  });

  it('never returns a dropped token, but keeps a newer one', async () => {
    const world = new World();
    const [one, other] = [world.instance(), world.instance()];
    const old = await one.get('m-1', 'pos', plenty);
    await one.drop(old);
    const fresh = await other.get('m-1', 'pos', plenty);

    await one.drop(old);

    expect(await value(world.instance())).toBe(fresh.value);
    expect(world.requests).toBe(2);
  });

  it('keeps the lease of a renewal while the old token is dropped', async () => {
    const world = new World();
    const [one, other] = [world.instance(), world.instance()];
    const old = await one.get('m-1', 'pos', plenty);
    await other.get('m-1', 'pos', plenty);
    world.pass(3600 - 300);
    const asked = Promise.withResolvers<void>();
    const reply = Promise.withResolvers<Response>();
    world.answer(() => {
      asked.resolve();
      return reply.promise;
    });
    const renewing = value(one);
    await asked.promise;
    const before = await world.tokens.get('access', old.id);

    await other.drop(old);

    const after = await world.tokens.get('access', old.id);
    expect(before?.fetcher).toEqual(expect.any(String));
    expect(after).toMatchObject({ fetcher: before?.fetcher, fetchingUntil: before?.fetchingUntil });
    expect(after).not.toHaveProperty('token');
    reply.resolve(world.issue());
    expect(await renewing).toBe('token-2');
    expect(world.requests).toBe(2);
  });

  it('has no lease after a dropped token that nobody renews', async () => {
    const world = new World();
    const instance = world.instance();
    const old = await instance.get('m-1', 'pos', plenty);

    await instance.drop(old);

    const left = await world.tokens.get('access', old.id);
    expect(left).not.toHaveProperty('token');
    expect(left).not.toHaveProperty('fetcher');
    expect(await value(instance)).toBe('token-2');
  });

  it('drops a token although another writer wrote in between', async () => {
    const world = new World();
    const old = await world.instance().get('m-1', 'pos', plenty);
    let races = 1;
    const tokens: Tokens = {
      get: world.tokens.get,
      remove: async () => {},
      put: async (...args) => races-- <= 0 && world.tokens.put(...args),
    };

    await world.instance(tokens).drop(old);

    expect(await value(world.instance())).toBe('token-2');
  });
});

describe('the identity server', () => {
  it.each([
    ['400 invalid_client', () => json(400, { error: 'invalid_client' })],
    ['401', () => json(401, '', { 'www-authenticate': 'Basic realm="x"' })],
  ])('is asked again with the new secret when it refuses the client with %s after a rotation', async (_, refusal) => {
    const world = new World();
    const instance = world.instance();
    await instance.get('m-1', 'native', plenty);
    world.secrets.put(NAME, { pos: { clientId: 'pos.client', clientSecret: 'new' } });
    world.answer(({ authorization }) =>
      authorization === `Basic ${Buffer.from('pos.client:new').toString('base64')}` ? world.issue() : refusal(),
    );

    expect(await value(instance)).toBe('token-2');
  });

  it('causes a fault when it refuses every secret, and the next caller gets it soon', async () => {
    const world = new World();
    world.answer(() => json(400, { error: 'invalid_client' }));

    await expect(value(world.instance())).rejects.toMatchObject({ name: 'FaultError', code: 'CREDENTIALS_REFUSED' });
    world.pass(2);
    await expect(value(world.instance())).rejects.toMatchObject({ code: 'CREDENTIALS_REFUSED' });
  });

  it.each([
    ['cannot be reached', 'ECONNREFUSED', () => networkFailure('ECONNREFUSED')],
    ['does not answer', 'ECONNRESET', () => networkFailure('ECONNRESET')],
    ['did not wait for the request', '408', () => json(408, '')],
    ['is overloaded', '429', () => json(429, '')],
    ['fails', '500', () => json(500, '')],
    ['is down', '503', () => json(503, '')],
    ['answers nonsense', 'UNREADABLE', () => json(200, '{"access_token":')],
    ['gives no lifetime', 'UNREADABLE', () => json(200, { access_token: 't', token_type: 'Bearer' })],
    [
      'gives a scope that is not text',
      'UNREADABLE',
      () => json(200, { access_token: 't', token_type: 'Bearer', expires_in: 1, scope: [] }),
    ],
  ])('causes a retryable error with the reason when it %s: %s', async (_, why, script) => {
    const world = new World();
    world.answer(script);

    await expect(value(world.instance())).rejects.toMatchObject({
      name: 'TransientError',
      code: 'IDENTITY_UNAVAILABLE',
      message: `IDENTITY_UNAVAILABLE: no access token could be fetched (${why})`,
    });
  });

  it.each([
    ['a code', () => json(400, { error: 'invalid_scope', error_description: 'CANARY' }), 'invalid_scope', 400],
    ['no code', () => json(400, { error: 'CANARY is not allowed' }), undefined, 400],
    ['nothing', () => json(404, ''), undefined, 404],
    ['a status without a body', () => new Response(null, { status: 204 }), undefined, 204],
  ])(
    'causes a fault that names the reason, without content, when it refuses the request with %s',
    async (_, script, code, status) => {
      const world = new World();
      world.answer(script);
      const context = { platformStatus: status, ...(code !== undefined && { platformCode: code }) };

      const error = await value(world.instance()).catch((thrown: unknown) => thrown);

      expect(error).toMatchObject({ name: 'FaultError', code: 'ACCESS_TOKEN_REFUSED' });
      expect((error as FaultError).context).toStrictEqual(context);
      expect(`${error} ${JSON.stringify(error)}`).not.toContain('CANARY');
    },
  );
});
