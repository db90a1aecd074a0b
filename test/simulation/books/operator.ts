/** What operators do in a scenario, and somebody who knows the address of the webhooks. */
import { randomUUID } from 'node:crypto';
import type { Till } from '../../till.ts';
import { putSecret } from '../accounts.ts';
import type { World } from '../world.ts';
import type { Agenda } from './agenda.ts';
import type { Resource } from './learned.ts';
import type { OperatorAct } from './scenario.ts';

const FORGED_TYPES = [1796, 1797, 1798, 1799, 1802, 2054];
const FORGED_TRANSACTION = 'f0f0f0f0-0000-4000-8000-000000000000';

export async function operate(
  { act, set, right, graceSeconds, storedAfter }: OperatorAct,
  till: Till,
  world: World,
  agenda: Agenda,
  resources: Iterable<Resource>,
): Promise<void> {
  const { merchantId, webhookUrl, country } = till.merchant;
  const rights = (allowed: boolean) => till.control('PATCH', `/_sim/accounts/${merchantId}`, { [right]: allowed });
  switch (act) {
    case 'deploy':
      return world.host.deploy();
    case 'revoke':
      return till.control('POST', '/_sim/tokens/revoke', {
        merchantId,
        credentialSet: set === 'apiKey' ? 'pos' : set,
      });
    case 'forge':
      return forge(webhookUrl, world, resources);
    case 'lose':
      return world.tables.lose(world.tokensTable, /^(access|webhook-key)#/);
    case 'forbid':
      await rights(false);
      agenda.after(graceSeconds + 30, () => rights(right !== 'rf' || country === 'GR'));
      return;
    case 'rotate': {
      await till.control('POST', `/_sim/accounts/${merchantId}/credentials/${set}/rotate`, { graceSeconds });
      agenda.after(storedAfter, async () => putSecret(world, merchantId));
    }
  }
}

/** Webhooks as the platform could send them about what we have, with contents that are not true. */
async function forge(webhookUrl: string, world: World, resources: Iterable<Resource>): Promise<void> {
  for (const [index, { id, kind }] of [...resources].entries()) {
    const EventData = {
      MerchantTrns: id,
      TransactionId: FORGED_TRANSACTION,
      StatusId: 'F',
      Amount: 15,
      ...(kind === 'sale' && { SessionId: id }),
    };
    await world.fetch(webhookUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        EventTypeId: FORGED_TYPES[index % FORGED_TYPES.length],
        MessageId: randomUUID(),
        EventData,
      }),
    });
  }
}
