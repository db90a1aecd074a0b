/** The lease that keeps a terminal to one open sale. Releasing twice, or somebody else's, changes nothing. */
import type { Sale } from './items.ts';
import type { Payments } from './payments.ts';

export function terminalLeaseId(merchantId: string, terminalId: string): string {
  return `${merchantId}#${terminalId}`;
}

export async function releaseTerminal(payments: Payments, sale: Sale, now: number): Promise<void> {
  const id = terminalLeaseId(sale.merchantId, sale.terminalId);
  const leasedUntil = new Date(now).toISOString();
  await payments.change('terminal', id, (lease) =>
    lease.saleId === sale.saleId && lease.leasedUntil > leasedUntil ? { leasedUntil } : undefined,
  );
}
