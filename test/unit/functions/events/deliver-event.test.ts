import { describe, expect, it } from 'vitest';
import {
  attemptMs,
  type DeliverEventDeps,
  deliverEvent,
  retryDelaysMs,
} from '../../../../functions/events/deliver-event/step.ts';
import { background } from '../../../../infra/functions.ts';
import { FaultError, TransientError } from '../../../../shared/flow/errors.ts';
import { MERCHANT_ID, SALE_ID, World } from '../../../fakes/world.ts';

const DELIVERY_ID = '0d4bb0c8-6a60-4c53-8f1c-6a3f0d3c9a01';
const LIFETIME_MS = background['deliver-event'].timeoutSeconds * 1_000;
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

function prepared() {
  const world = new World();
  world.putSale({ status: 'paid', transactionId: 'tx' });
  world.payments.put('delivery', DELIVERY_ID, {
    merchantId: MERCHANT_ID,
    event: {
      eventId: DELIVERY_ID,
      type: 'tillflow.sale.paid.v1',
      at: world.seconds(0),
      status: 'paid',
    },
    about: `sale#${SALE_ID}`,
    state: 'pending',
    attempts: 0,
    dueAt: world.seconds(0),
  });
  const posts: { url: string; headers: Readonly<Record<string, string>>; body: string }[] = [];
  const dead: string[] = [];
  const errors: string[] = [];
  const deps = {
    payments: world.payments,
    credentials: { get: (async () => secret) as DeliverEventDeps['credentials']['get'] },
    answer: { accepted: true, status: '204' },
    post: async (url: string, headers: Readonly<Record<string, string>>, body: string) => {
      posts.push({ url, headers, body });
      return deps.answer;
    },
    onDead: ({ about }: { about: string }) => void dead.push(about),
    onError: ({ code }: { code: string }) => void errors.push(code),
    now: world.now,
    sleep: world.sleep,
  };
  /** Runs one invocation; it may run as long as a Lambda may, unless a shorter lifetime is given. */
  const deliver = (lifetimeMs = LIFETIME_MS) => {
    const deadline = world.at + lifetimeMs;
    const invocation = { remainingMs: () => deadline - world.at };
    return deliverEvent.run({ deliveryId: DELIVERY_ID }, deps, invocation);
  };
  const delivery = async () => (await world.payments.get('delivery', DELIVERY_ID))!;
  return { world, deps, posts, dead, errors, deliver, delivery };
}

async function withCallback() {
  const all = prepared();
  await all.world.payments.change('account', MERCHANT_ID, () => ({ callbackUrl: 'https://shop.example/hook' }));
  return all;
}

describe('deliver-event', () => {
  it('posts the signed event to the account’s address and records it as delivered', async () => {
    const { world, posts, deliver, delivery } = await withCallback();

    await deliver();
    await deliver();

    expect(posts).toHaveLength(1);
    expect(posts[0]).toMatchObject({
      url: 'https://shop.example/hook',
      headers: {
        'content-type': 'application/json',
        'webhook-id': DELIVERY_ID,
        'webhook-timestamp': `${world.at / 1000}`,
      },
    });
    expect(JSON.parse(posts[0]?.body ?? '')).toMatchObject({ id: DELIVERY_ID, type: 'tillflow.sale.paid.v1' });
    expect(await delivery()).toMatchObject({ state: 'delivered', attempts: 1, lastStatus: '204' });
    expect((await delivery()).dueAt).toBeUndefined();
  });

  it('starts a delivery from its event, and does nothing when there is nothing to deliver', async () => {
    const { world, deps, posts } = await withCallback();
    const eventOf = (id: string) => deliverEvent.input.parse({ source: 'tillflow', detail: { id, status: 'paid' } });

    await deliverEvent.run(eventOf(SALE_ID), deps, world.invocation);
    await deliverEvent.run(eventOf(DELIVERY_ID), deps, world.invocation);

    expect(posts).toHaveLength(1);
  });

  it('posts once when two invocations start at the same time', async () => {
    const { posts, deliver } = await withCallback();

    await Promise.all([deliver(), deliver(), deliver()]);

    expect(posts).toHaveLength(1);
  });

  it('retries in the same invocation, 5 seconds after the first attempt failed', async () => {
    const { world, deps, posts, deliver, delivery } = await withCallback();
    const { post } = deps;
    deps.post = async (...sent) => {
      world.at += 10_000; // the longest a receiver may take
      deps.answer = { accepted: posts.length === 1, status: '200' };
      return post(...sent);
    };
    const begun = world.at / 1000;

    await deliver();

    expect(posts.map(({ headers }) => Number(headers['webhook-timestamp']) - begun)).toEqual([0, 15]);
    expect(new Set(posts.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(await delivery()).toMatchObject({ state: 'delivered', attempts: 2 });
    expect(2 * attemptMs + (retryDelaysMs[0] ?? 0)).toBeLessThanOrEqual(LIFETIME_MS);
  });

  it('leaves the second attempt to the reconciler when the invocation has no time for it', async () => {
    const { world, deps, posts, deliver, delivery } = await withCallback();
    deps.answer = { accepted: false, status: '500' };

    await deliver(attemptMs + 4_999);

    expect(posts).toHaveLength(1);
    expect(await delivery()).toMatchObject({ state: 'pending', attempts: 1, dueAt: world.seconds(5) });
  });

  it('starts no attempt that might outlast the invocation', async () => {
    const { posts, deliver, delivery } = await withCallback();

    await deliver(attemptMs - 1);

    expect(posts).toHaveLength(0);
    expect(await delivery()).toMatchObject({ attempts: 0 });
  });

  it('keeps waiting when its timer fired early', async () => {
    const { world, deps, posts, deliver, delivery } = await withCallback();
    deps.answer = { accepted: false, status: '500' };
    let sleeps = 0;
    deps.sleep = async (ms) => {
      world.at += sleeps++ === 0 ? ms - 1 : ms;
    };

    await deliver();

    expect([posts.length, sleeps]).toEqual([2, 2]);
    expect(await delivery()).toMatchObject({ attempts: 2, dueAt: world.seconds(305) });
  });

  it('posts each attempt once although several invocations wait for it', async () => {
    const { deps, posts, deliver, delivery } = await withCallback();
    deps.answer = { accepted: false, status: '500' };
    await deliver(attemptMs); // the invocation died while it waited

    await Promise.all([deliver(), deliver(), deliver()]);

    expect(posts).toHaveLength(2);
    expect(await delivery()).toMatchObject({ state: 'pending', attempts: 2 });
  });

  it('waits from 5 seconds to a day between failed attempts, longer each time, and then gives up', async () => {
    const { world, deps, posts, dead, deliver, delivery } = await withCallback();
    deps.answer = { accepted: false, status: '500' };
    const waits: number[] = [];

    while ((await delivery()).state === 'pending') {
      await deliver(attemptMs);
      const { dueAt } = await delivery();
      if (dueAt !== undefined) {
        waits.push(Date.parse(dueAt) - world.at);
        await deliver(attemptMs); // too early
        world.at = Date.parse(dueAt);
      }
    }

    expect(waits).toEqual(retryDelaysMs);
    expect([waits[0], waits.at(-1)]).toEqual([5_000, 86_400_000]);
    expect(posts).toHaveLength(10);
    expect(await delivery()).toMatchObject({ state: 'dead', attempts: 10, lastStatus: '500' });
    expect(dead).toEqual([`sale#${SALE_ID}`]);
  });

  it('gives up right after the last failed attempt, even when the invocation has no time left', async () => {
    const { world, deps, dead, deliver, delivery } = await withCallback();
    await world.payments.change('delivery', DELIVERY_ID, () => ({ attempts: 9, lastStatus: '500' }));
    deps.post = async () => {
      world.at += 10_000;
      return { accepted: false, status: '503' };
    };

    await deliver(attemptMs);

    expect(await delivery()).toMatchObject({ state: 'dead', attempts: 10, lastStatus: '503' });
    expect((await delivery()).dueAt).toBeUndefined();
    expect(dead).toEqual([`sale#${SALE_ID}`]);
  });

  it('gives up when the last attempt was interrupted', async () => {
    const { world, posts, dead, deliver, delivery } = await withCallback();
    await world.payments.change('delivery', DELIVERY_ID, () => ({ attempts: 10, lastStatus: 'UNFINISHED' }));

    await deliver();

    expect(posts).toEqual([]);
    expect(await delivery()).toMatchObject({ state: 'dead', attempts: 10, lastStatus: 'UNFINISHED' });
    expect(dead).toEqual([`sale#${SALE_ID}`]);
  });

  it('retries an interrupted attempt only when that attempt must be over', async () => {
    const { world, deps, posts, deliver, delivery } = await withCallback();
    const { post } = deps;
    const stopped = new Promise<void>((reached) => {
      deps.post = async (...sent) => {
        await post(...sent);
        reached();
        return new Promise(() => undefined);
      };
    });
    void deliver();
    await stopped;
    deps.post = post;
    expect(await delivery()).toMatchObject({ state: 'pending', attempts: 1, lastStatus: 'UNFINISHED' });

    world.at += LIFETIME_MS - attemptMs;
    await deliver(attemptMs);
    expect(posts).toHaveLength(1);
    world.at += attemptMs + 5_000;
    await deliver();

    expect(posts).toHaveLength(2);
    expect(await delivery()).toMatchObject({ state: 'delivered', attempts: 2 });
  });

  it.each([
    ['delivered', true],
    ['delivered', false],
    ['dead', true],
    ['dead', false],
  ] as const)('does not change a delivery that became %s during the post (accepted: %s)', async (state, accepted) => {
    const { world, deps, dead, deliver, delivery } = await withCallback();
    deps.post = async () => {
      await world.payments.change('delivery', DELIVERY_ID, () => ({
        state,
        lastStatus: 'of another',
        dueAt: undefined,
      }));
      return { accepted, status: accepted ? '200' : '500' };
    };

    await deliver(attemptMs);

    expect(await delivery()).toMatchObject({ state, lastStatus: 'of another' });
    expect((await delivery()).dueAt).toBeUndefined();
    expect(dead).toEqual(state === 'dead' ? [`sale#${SALE_ID}`] : []);
  });

  it.each(['delivered', 'dead'] as const)(
    'posts nothing for a delivery that is already %s, although it is due',
    async (state) => {
      const { world, posts, dead, deliver } = await withCallback();
      let first = true;
      const { get } = world.payments;
      world.payments.get = async (kind, id) => {
        const found = await get.call(world.payments, kind, id);
        if (kind === 'delivery' && first) {
          first = false;
          world.payments.overwrite('delivery', DELIVERY_ID, { state, dueAt: undefined });
        }
        return found as never;
      };

      await deliver();

      expect([posts, dead]).toEqual([[], []]);
    },
  );

  it.each([
    ['an unexpected error', new TypeError('no header'), 'UNCLASSIFIED'],
    ['an outage', new TransientError('CREDENTIALS_UNREADABLE', 'down'), 'CREDENTIALS_UNREADABLE'],
  ])('ends an attempt with a status, and logs an error, when %s prevents the post', async (_, error, code) => {
    const { deps, errors, deliver, delivery } = await withCallback();
    deps.post = () => Promise.reject(error);

    await deliver(attemptMs);

    expect(await delivery()).toMatchObject({ state: 'pending', attempts: 1, lastStatus: code });
    expect(errors).toEqual([code]);
  });

  it.each([
    ['no longer has an address', 'NO_CALLBACK_URL', prepared],
    [
      'has no secret',
      'CREDENTIALS_MISSING',
      async () => {
        const all = await withCallback();
        all.deps.credentials.get = () => Promise.reject(new FaultError('CREDENTIALS_MISSING', 'none'));
        return all;
      },
    ],
  ])('sends nothing for an account that %s, and records why', async (_, lastStatus, prepare) => {
    const { posts, deliver, delivery } = await prepare();

    await deliver();

    expect(posts).toEqual([]);
    expect(await delivery()).toMatchObject({ state: 'pending', lastStatus });
  });
});
