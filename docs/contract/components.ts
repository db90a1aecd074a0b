/** Every named schema of the document. */
import { cardComponents } from './card.ts';
import { chargeComponents } from './charge.ts';
import { commonComponents } from './common.ts';
import { eventComponents } from './event.ts';
import { rfOrderComponents } from './rf-order.ts';
import { saleComponents } from './sale.ts';

export const components = {
  ...saleComponents,
  ...cardComponents,
  ...chargeComponents,
  ...rfOrderComponents,
  ...eventComponents,
  ...commonComponents,
};

export type ComponentName = keyof typeof components;
