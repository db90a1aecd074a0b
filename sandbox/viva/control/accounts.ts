/** Control of accounts: rights, credentials, and issued access tokens. */
import { Hono } from 'hono';
import * as z from 'zod';
import type { Account, CredentialSet } from '../books/accounts.ts';
import type { Simulator } from '../simulator.ts';
import { json, Problem, readBody } from './problem.ts';

const rights = z
  .strictObject({
    tokenizationRole: z.boolean(),
    nativeCheckout: z.boolean(),
    allowRefunds: z.boolean(),
    allowCaptures: z.boolean(),
    rf: z.boolean(),
  })
  .partial();
const rotation = z.strictObject({ graceSeconds: z.number().nonnegative().default(0) });
const revocation = z.strictObject({
  credentialSet: z.enum(['pos', 'smartCheckout', 'native', 'isv']),
  merchantId: z.string().optional(),
});

const MERCHANT_SETS: readonly CredentialSet[] = ['pos', 'smartCheckout', 'native', 'apiKey'];
const ISV_SETS: readonly CredentialSet[] = ['isv', 'reseller'];

export function accountRoutes(sim: Simulator): Hono {
  const app = new Hono();
  app.patch('/_sim/accounts/:id', async (c) => {
    const account = find(sim, c.req.param('id'));
    Object.assign(account.rights, await readBody(c.req.raw, rights));
    return json({ merchantId: account.merchantId, ...account.rights });
  });
  app.post('/_sim/accounts/:id/credentials/:set/rotate', async (c) => {
    const id = c.req.param('id');
    const owner = id === 'isv' ? id : find(sim, id);
    const valid = owner === 'isv' ? ISV_SETS : MERCHANT_SETS;
    const set = valid.find((known) => known === c.req.param('set'));
    if (set === undefined) {
      throw new Problem(400, 'The account has no such credential set.', { valid });
    }
    const { graceSeconds } = await readBody(c.req.raw, rotation);
    return json(sim.accounts.rotate(owner, set, graceSeconds));
  });
  app.post('/_sim/tokens/revoke', async (c) => {
    const { credentialSet, merchantId } = await readBody(c.req.raw, revocation);
    const account = merchantId === undefined ? undefined : find(sim, merchantId);
    sim.issuer.revoke((clientId) => {
      const owner = sim.accounts.clientOf(clientId);
      return owner?.set === credentialSet && (account === undefined || owner.account === account);
    });
    return new Response(null, { status: 204 });
  });
  return app;
}

function find(sim: Simulator, merchantId: string): Account {
  const account = sim.accounts.find(merchantId);
  if (account === undefined) {
    const valid = sim.accounts.all.map((known) => known.merchantId);
    throw new Problem(404, 'There is no such account.', { valid });
  }
  return account;
}
