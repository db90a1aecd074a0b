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
  /** An invocation that lives as long as it may, unless something kills it before. */
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
  it('posts the event, signed, to the account’s address, and is done', async () => {
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

  it('takes the event itself for the word to begin, and does nothing where there is nothing to deliver', async () => {
    const { world, deps, posts } = await withCallback();
    const heard = (id: string) => deliverEvent.input.parse({ source: 'tillflow', detail: { id, status: 'paid' } });

    await deliverEvent.run(heard(SALE_ID), deps, world.invocation);
    await deliverEvent.run(heard(DELIVERY_ID), deps, world.invocation);

    expect(posts).toHaveLength(1);
  });

  it('posts once when it is told twice at the same time', async () => {
    const { posts, deliver } = await withCallback();

    await Promise.all([deliver(), deliver(), deliver()]);

    expect(posts).toHaveLength(1);
  });

  it('tries again 5 seconds after the first attempt failed, in the same invocation', async () => {
    const { world, deps, posts, deliver, delivery } = await withCallback();
    const { post } = deps;
    deps.post = async (...sent) => {
      world.at += 10_000; // as long as a receiver may take
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

  it('leaves the second attempt to the reconciler where it has no time for it', async () => {
    const { world, deps, posts, deliver, delivery } = await withCallback();
    deps.answer = { accepted: false, status: '500' };

    await deliver(attemptMs + 4_999);

    expect(posts).toHaveLength(1);
    expect(await delivery()).toMatchObject({ state: 'pending', attempts: 1, dueAt: world.seconds(5) });
  });

  it('begins no attempt that it might not live to see the end of', async () => {
    const { posts, deliver, delivery } = await withCallback();

    await deliver(attemptMs - 1);

    expect(posts).toHaveLength(0);
    expect(await delivery()).toMatchObject({ attempts: 0 });
  });

  it('waits on when its timer was early', async () => {
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

  it('posts each attempt once though several invocations wait for it', async () => {
    const { deps, posts, deliver, delivery } = await withCallback();
    deps.answer = { accepted: false, status: '500' };
    await deliver(attemptMs); // killed while it waited

    await Promise.all([deliver(), deliver(), deliver()]);

    expect(posts).toHaveLength(2);
    expect(await delivery()).toMatchObject({ state: 'pending', attempts: 2 });
  });

  it('waits longer after each attempt that was not taken, from 5 seconds to a day, and then is dead', async () => {
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

  it('is dead as soon as its last attempt was not taken, though the invocation has no time left', async () => {
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

  it('is dead, too, when its last attempt was stopped', async () => {
    const { world, posts, dead, deliver, delivery } = await withCallback();
    await world.payments.change('delivery', DELIVERY_ID, () => ({ attempts: 10, lastStatus: 'UNFINISHED' }));

    await deliver();

    expect(posts).toEqual([]);
    expect(await delivery()).toMatchObject({ state: 'dead', attempts: 10, lastStatus: 'UNFINISHED' });
    expect(dead).toEqual([`sale#${SALE_ID}`]);
  });

  it('tries again what was stopped, but not before that must be over', async () => {
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
  ] as const)('leaves a delivery as it is that was %s while it posted (taken: %s)', async (state, accepted) => {
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

  it.each(['delivered', 'dead'] as const)('posts nothing of a delivery that is %s, though it is due', async (state) => {
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
  });

  it.each([
    ['what nobody expected', new TypeError('no header'), 'UNCLASSIFIED'],
    ['an outage', new TransientError('CREDENTIALS_UNREADABLE', 'down'), 'CREDENTIALS_UNREADABLE'],
  ])(
    'ends an attempt with a status and an error in the log when %s keeps it from being sent',
    async (_, error, code) => {
      const { deps, errors, deliver, delivery } = await withCallback();
      deps.post = () => Promise.reject(error);

      await deliver(attemptMs);

      expect(await delivery()).toMatchObject({ state: 'pending', attempts: 1, lastStatus: code });
      expect(errors).toEqual([code]);
    },
  );

  it.each([
    ['has no address any more', 'NO_CALLBACK_URL', prepared],
    [
      'has no secret',
      'CREDENTIALS_MISSING',
      async () => {
        const all = await withCallback();
        all.deps.credentials.get = () => Promise.reject(new FaultError('CREDENTIALS_MISSING', 'none'));
        return all;
      },
    ],
  ])('sends nothing for an account that %s, and says so', async (_, lastStatus, prepare) => {
    const { posts, deliver, delivery } = await prepare();

    await deliver();

    expect(posts).toEqual([]);
    expect(await delivery()).toMatchObject({ state: 'pending', lastStatus });
  });
});
