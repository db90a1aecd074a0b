/** A stored card, or a request to store one. */
import type { CardBody } from '../../api/schemas/card.ts';
import type { Failure } from '../failures.ts';
import type { Origin, Scheduled, StoredItem, TimelineEntry } from './common.ts';

export interface CardOnSale {
  readonly cardId: string;
  readonly expirationMonth: number;
  readonly expirationYear: number;
  readonly maskedNumber?: string;
}

/**
 * A stored card, or a request to store one (`POST /cards`). A card has one id per merchant, however often it is stored, so
 * a successful request becomes an alias of the card (`aliasOf`).
 */
export interface Card extends StoredItem, Pick<Scheduled, 'dueAt'>, Readonly<CardBody> {
  readonly cardId: string;
  readonly status: 'pending' | 'active' | 'refused' | 'deleted';
  readonly aliasOf?: string;
  /** Of a deleted card: its token may still be stored. */
  readonly tokenLeft?: true;
  readonly expirationMonth?: number;
  readonly expirationYear?: number;
  readonly maskedNumber?: string;
  readonly failure?: Failure;
  /** Of a request only: the card of the transaction. */
  readonly card?: CardOnSale;
  readonly executionArn?: string;
  /** How often a dead execution was replaced. The name of the next execution contains it. */
  readonly restarts?: number;
  readonly origin?: Origin;
  readonly timeline: readonly TimelineEntry[];
}
