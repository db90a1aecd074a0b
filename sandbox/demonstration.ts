/**
 * The demonstration of `npm start`: one card-present sale with an additional charge through the API and the real state
 * machine, with every state as it happens; then one order paid by bank transfer, and a comparison of the API with the
 * ledger.
 */
import { demonstrateRfOrder } from './rf-demonstration.ts';
import type { Sandbox } from './sandbox.ts';
import { euros, openShop, type Shop } from './shop.ts';

const SALE_AMOUNT = 1500;
const CHARGE_AMOUNT = 4000;
const WAIT_SECONDS = 20;

interface ShownSale {
  readonly saleId: string;
  readonly status: string;
  readonly final: boolean;
  readonly totals: { readonly net: number; readonly terminal: number; readonly charged: number };
  readonly card?: { readonly cardId: string };
  readonly additionalCharge?: { readonly chargeId: string; readonly status: string };
}

/** Resolves to the differences between the API and the ledger, one line each; empty when they agree. */
export async function demonstrate(sandbox: Sandbox, print: (line: string) => void): Promise<readonly string[]> {
  const { apiUrl, controlUrl, storefront } = await sandbox.readyLine();
  const merchant = sandbox.platform.merchants[0]!;
  const shop = openShop(apiUrl, controlUrl, storefront.accessToken);
  const ofSale = await demonstrateSale(shop, sandbox, print);
  print('');
  const ofOrder = await demonstrateRfOrder(shop, merchant.merchantId, print);
  return [...ofSale, ...ofOrder];
}

async function demonstrateSale(shop: Shop, sandbox: Sandbox, print: (line: string) => void): Promise<string[]> {
  const merchant = sandbox.platform.merchants[0]!;
  const stop = showStates(sandbox, print);
  try {
    print(
      `A guest pays ${euros(SALE_AMOUNT)} at terminal ${merchant.terminals[0]}; the card is stored and charged ${euros(CHARGE_AMOUNT)} on top.`,
    );
    print('');
    const started = await shop.api<ShownSale>('POST', '/sales', {
      body: {
        merchantId: merchant.merchantId,
        terminalId: merchant.terminals[0],
        cashRegisterId: 'till-1',
        amount: SALE_AMOUNT,
        currency: 'EUR',
        merchantTrns: 'room 12',
        tokenize: true,
        additionalCharge: { amount: CHARGE_AMOUNT, customerTrns: 'minibar' },
      },
    });
    const sale = await shop.api<ShownSale>('GET', `/sales/${started.saleId}`, { waitSeconds: WAIT_SECONDS });
    print('');
    print(
      `The sale is ${sale.status}, its charge ${sale.additionalCharge?.status ?? 'absent'}. The guest paid ${euros(sale.totals.net)} in all (${euros(sale.totals.terminal)} + ${euros(sale.totals.charged)}).`,
    );
    return await differences(sale, shop, merchant.merchantId);
  } finally {
    stop();
  }
}

async function differences(sale: ShownSale, shop: Shop, merchantId: string): Promise<string[]> {
  const { entries } = await shop.control<{
    entries: readonly { kind: string; amount: number; merchantTrns: string }[];
  }>('GET', `/_sim/ledger?merchantId=${merchantId}`);
  const chargeId = sale.additionalCharge?.chargeId ?? 'no charge';
  const found = entries
    .filter(({ merchantTrns }) => merchantTrns?.includes(sale.saleId) || merchantTrns?.includes(chargeId))
    .map(({ kind, amount }) => `${kind} of ${amount}`);
  const expected = [`sale of ${SALE_AMOUNT}`, `charge of ${CHARGE_AMOUNT}`];
  return [
    ...(sale.status === 'tokenized' && sale.final
      ? []
      : [`the API says the sale is ${sale.status}, not tokenized and final`]),
    ...(sale.totals.net === SALE_AMOUNT + CHARGE_AMOUNT
      ? []
      : [`the API's net total is ${sale.totals.net}, not ${SALE_AMOUNT + CHARGE_AMOUNT}`]),
    ...(found.join() === expected.join() ? [] : [`the ledger has [${found.join(', ')}], not [${expected.join(', ')}]`]),
  ];
}

function showStates(sandbox: Sandbox, print: (line: string) => void): () => void {
  let showing = true;
  sandbox.cloud.onTransition(({ state, type, durationMs }) => {
    if (showing && type !== 'entered') {
      print(
        `  ${state.padEnd(22)} ${type.padEnd(8)} ${durationMs === undefined ? '' : `${Math.round(durationMs)} ms`}`.trimEnd(),
      );
    }
  });
  return () => {
    showing = false;
  };
}
