/** Payment orders and their RF Payment Codes. */

export interface Order {
  readonly orderCode: string;
  readonly merchantId: string;
  amount: number;
  readonly isvAmount: number;
  readonly tipAmount: number;
  readonly disableExactAmount: boolean;
  /** Null: never. */
  expiresMs: number | null;
  readonly merchantTrns: string;
  readonly customerTrns: string;
  readonly customer: { readonly email?: string; readonly phone?: string; readonly fullname?: string };
  readonly requestLang: string;
  readonly sourceCode: string;
  readonly maxInstallments: number;
  readonly tags: readonly string[];
  /** Whether the order takes more payments after the first. */
  disablePaidState: boolean;
  isCanceled: boolean;
  paid: boolean;
  rfCode: string | null;
}

export const ORDER_STATE = { pending: 0, expired: 1, cancelled: 2, paid: 3 } as const;

export class Orders {
  readonly #byCode = new Map<string, Order>();

  add(order: Order): void {
    this.#byCode.set(order.orderCode, order);
  }

  find(orderCode: string): Order | undefined {
    return this.#byCode.get(orderCode);
  }

  ofRfCode(rfCode: string): Order | undefined {
    return [...this.#byCode.values()].find((order) => order.rfCode === rfCode);
  }
}

export function orderState({ isCanceled, paid, expiresMs }: Order, nowMs: number): number {
  if (paid) {
    return ORDER_STATE.paid;
  }
  if (isCanceled) {
    return ORDER_STATE.cancelled;
  }
  return expiresMs !== null && expiresMs <= nowMs ? ORDER_STATE.expired : ORDER_STATE.pending;
}
