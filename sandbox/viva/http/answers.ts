/**
 * How the platform answers: every answer has the two diagnostic headers, and refusals come in four dialects, each with
 * its own idea of where the reason stands.
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

/** Thrown by an endpoint, becomes its answer. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly response: Response;

  constructor(response: Response) {
    super(`refused with ${response.status}`);
    this.response = response;
  }
}

/** Credentials or role: the status says it all. */
export function accessRefusal(status: 401 | 403): Refusal {
  return new Refusal(answer(undefined, { status }));
}

/** The terminal service: the reason is the event id in the header. */
export function ecrRefusal(status: number, eventId: number, detail: string): Refusal {
  return new Refusal(answer({ status, detail }, { status, eventId }));
}

/** Native checkout, acquiring and orders: a reason in PascalCase, and the event id in header and body. */
export function apiRefusal(sim: Simulator, status: number, message: string, eventId = 0): Refusal {
  const shown = sim.switches.get('eventIdType') === 'string' ? String(eventId) : eventId;
  return new Refusal(answer({ status, message, eventId: shown }, { status, eventId }));
}

/** `customer.email` is told as InvalidCustomerEmail. */
export function invalidField(sim: Simulator, path: string): Refusal {
  const name = path.replace(/(?:^|\.)(\w)/g, (_all, letter: string) => letter.toUpperCase());
  return apiRefusal(sim, 400, `Invalid${name}`);
}

/** The payment API: HTTP 200, and the reason in ErrorCode. */
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

/** Year and day of the year, and a counter-like code: `26-325-1A2B3C4D`. */
export function correlationId({ clock, random }: Simulator): string {
  const now = new Date(clock.now());
  const day = Math.floor((clock.now() - Date.UTC(now.getUTCFullYear(), 0, 0)) / 86_400_000);
  return `${String(now.getUTCFullYear()).slice(2)}-${String(day).padStart(3, '0')}-${random.hex(8).toUpperCase()}`;
}
