import { expect, it } from 'vitest';
import { accountOf, existing } from '../../../../shared/payments/existing.ts';
import { SALE_ID, World } from '../../../fakes/world.ts';

it('a missing item for which a step was started is a fault', async () => {
  const { payments } = new World();

  await expect(existing(payments, 'sale', SALE_ID)).rejects.toMatchObject({ name: 'FaultError', code: 'ITEM_MISSING' });
  await expect(accountOf(payments, { merchantId: 'nobody' })).rejects.toMatchObject({ code: 'ITEM_MISSING' });
});
