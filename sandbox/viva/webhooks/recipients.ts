/** The registered addresses, by recipient and type of webhook. A reset keeps them, like the accounts. */
import type { Account } from '../books/accounts.ts';

export const WEBHOOK_TYPE = {
  paymentCreated: 1796,
  reversalCreated: 1797,
  transactionFailed: 1798,
  priceCalculated: 1799,
  sessionCreated: 1802,
  sessionFailed: 1803,
  accountTransactionCreated: 2054,
  orderUpdated: 4865,
} as const;

/** The types that an ISV can register. 2054 and 4865 exist for merchants only. */
export const ISV_WEBHOOK_TYPES: readonly number[] = [1796, 1797, 1798, 1799, 1802, 1803, 8193, 8194];
export const MERCHANT_WEBHOOK_TYPES: readonly number[] = Object.values(WEBHOOK_TYPE);

export interface Address {
  readonly url: string;
  /** The handshake, if it has begun and has not failed. */
  handshake: Promise<boolean> | null;
}

export class Recipients {
  /** `recipient eventTypeId` → address. */
  readonly #addresses = new Map<string, Address>();

  register(recipient: string, url: string, eventTypeIds: readonly number[]): void {
    const address: Address = { url, handshake: null };
    for (const eventTypeId of eventTypeIds) {
      this.#addresses.set(`${recipient} ${eventTypeId}`, address);
    }
  }

  find(recipient: string, eventTypeId: number): Address | undefined {
    return this.#addresses.get(`${recipient} ${eventTypeId}`);
  }
}

/**
 * The recipient of a webhook about an account: the ISV of a connected account if an ISV can register the type, else
 * the merchant.
 */
export function recipientOf({ mode, merchantId }: Account, eventTypeId: number): string {
  return mode === 'isv' && ISV_WEBHOOK_TYPES.includes(eventTypeId) ? 'isv' : merchantId;
}
