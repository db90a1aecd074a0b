/**
 * The platform's answers. Every answer has the two diagnostic headers. Refusals have four forms (docs/viva.md,
 * "Refusals").
 */
import type { Simulator } from '../simulator.ts';

export function answer(body: unknown, { status = 200, eventId = 0 } = {}): Response {
  const text = body === undefined ? '' : JSON.stringify(body);
  return new Response(text === '' && status === 204 ? null : text, {
    status,
    headers: {
      ...(text === '' ? {} : { 'Content-Type': 'application/json; charset=utf-8' }),
      'X-Viva-EventId': String(eventId),
    },
  });
}

/** Thrown by an endpoint. It becomes its answer. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly response: Response;

  constructor(response: Response) {
    super(`refused with ${response.status}`);
    this.response = response;
  }
}

/** Wrong credentials or a missing role: a status without a body. */
export function accessRefusal(status: 401 | 403): Refusal {
  return new Refusal(answer(undefined, { status }));
}

/** Terminal service: the reason is the event id in the header. */
export function ecrRefusal(status: number, eventId: number, detail: string): Refusal {
  return new Refusal(answer({ status, detail }, { status, eventId }));
}

/** Native checkout, acquiring and orders: a reason in PascalCase, and the event id in the header and the body. */
export function apiRefusal(sim: Simulator, status: number, message: string, eventId = 0): Refusal {
  const shown = sim.switches.get('eventIdType') === 'string' ? String(eventId) : eventId;
  return new Refusal(answer({ status, message, eventId: shown }, { status, eventId }));
}

/** The reason for `customer.email` is InvalidCustomerEmail. */
export function invalidField(sim: Simulator, path: string): Refusal {
  const name = path.replace(/(?:^|\.)(\w)/g, (_all, letter: string) => letter.toUpperCase());
  return apiRefusal(sim, 400, `Invalid${name}`);
}

/** Payment API: HTTP 200, with the reason in ErrorCode. */
export function legacyRefusal(sim: Simulator, errorCode: number, errorText: string, eventId = 0): Refusal {
  return new Refusal(
    answer({ ...legacyTail(sim, eventId), ErrorCode: errorCode, ErrorText: errorText, Success: false }, { eventId }),
  );
}

/** The fields that end every answer of the payment API. */
export function legacyTail(sim: Simulator, eventId = 0) {
  return {
    ErrorCode: 0,
    ErrorText: null,
    TimeStamp: new Date(sim.clock.now()).toISOString(),
    CorrelationId: correlationId(sim),
    EventId: eventId,
    Success: true,
  };
}

/** Year, day of the year, and eight hex digits: `26-325-1A2B3C4D`. */
export function correlationId({ clock, random }: Simulator): string {
  const now = new Date(clock.now());
  const day = Math.floor((clock.now() - Date.UTC(now.getUTCFullYear(), 0, 0)) / 86_400_000);
  return `${String(now.getUTCFullYear()).slice(2)}-${String(day).padStart(3, '0')}-${random.hex(8).toUpperCase()}`;
}
