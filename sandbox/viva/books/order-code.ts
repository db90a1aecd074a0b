import type { Simulator } from '../simulator.ts';

/** Odd and above 2^53, so that a client that reads it as a double gets another number. */
export function newOrderCode({ random, switches }: Simulator): string {
  const odd = String(1 + 2 * Math.floor(random.next() * 5));
  const lead = String(91 + Math.floor(random.next() * 9));
  return `${lead}${random.digits(switches.get('orderCodeDigits') - 3)}${odd}`;
}
