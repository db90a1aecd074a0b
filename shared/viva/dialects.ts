/**
 * The platform writes refusals in four forms (docs/viva.md, "Refusals"): an event id in the header (terminals),
 * `{status, message, eventId}` (native checkout, acquiring, orders), HTTP 200 with `{ErrorCode, EventId, Success}`
 * (payment API), and OAuth errors, which identity.ts reads. Sentences for people are ignored.
 */

import type { Answer } from './http.ts';
import { parseJson } from './json.ts';

export interface Refusal {
  /** The HTTP status, or the status that the payment API means by its ErrorCode. */
  readonly status: number;
  readonly code?: string;
  readonly eventId?: string;
  readonly legacy: boolean;
  /** Whether the platform itself refuses, and not something in front of it. */
  readonly recognized: boolean;
}

/** A reason, and not a sentence. */
const PASCAL_CASE = /^[A-Z][A-Za-z0-9]{2,79}$/;

export function refusalIn({ status, text, call }: Answer): Refusal {
  const body = parseJson(text);
  const fields = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  const eventId = call.eventId ?? eventIn(fields['eventId'] ?? fields['EventId']);
  const event = eventId === undefined ? {} : { eventId };
  const { ErrorCode: errorCode, message } = fields;
  if (typeof errorCode === 'number' && errorCode !== 0) {
    const meant = status === 200 ? errorCode : status;
    return { status: meant, code: String(errorCode), ...event, legacy: true, recognized: true };
  }
  return {
    status,
    ...(typeof message === 'string' && PASCAL_CASE.test(message) ? { code: message } : {}),
    ...event,
    legacy: false,
    recognized: eventId !== undefined || ('message' in fields && 'eventId' in fields),
  };
}

/** Text or a number. 0 means no event. */
function eventIn(value: unknown): string | undefined {
  return /^[1-9]\d{0,9}$/.test(String(value)) ? String(value) : undefined;
}
