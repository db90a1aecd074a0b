/**
 * Where every caught error ends: writes down, once and for good, what is not written down yet. A step that knows its
 * reason has recorded it before it threw; what is left here are steps that crashed, timed out or ran out of retries.
 *
 * What may have taken money goes to `needs_review`; what provably took none ends. Running twice is safe: every write is a
 * move up the lattice, and what has ended stays as it is.
 */
import * as z from 'zod/mini';
import { errorName } from '../../../shared/flow/errors.ts';
import type { Step } from '../../../shared/flow/step.ts';
import {
  type ChargeState,
  chargeStates,
  type EndDeps,
  type SourceState,
  sourceStates,
} from '../../../shared/flow/stopped.ts';
import { endCardRequest } from '../../../shared/reconciliation/card/end.ts';
import { endCharge } from '../../../shared/reconciliation/charge/end.ts';
import { endSale } from '../../../shared/reconciliation/sale/end.ts';

const ofSource = { state: z.enum(Object.keys(sourceStates) as SourceState[]), error: z.string() };
const input = z.union([
  z.strictObject({ saleId: z.uuid(), ...ofSource }),
  z.strictObject({ cardId: z.string(), ...ofSource }),
  z.strictObject({ chargeId: z.uuid(), state: z.enum(Object.keys(chargeStates) as ChargeState[]), error: z.string() }),
]);
const output = z.strictObject({ broken: z.boolean() });

/** Ends that a healthy system has: a refusal, a platform that is down, an outcome nobody knows, a wait that ran out. */
const EXPECTED: readonly string[] = [errorName.rejected, errorName.transient, errorName.unknown, 'States.Timeout'];

export const recordFailure: Step<typeof input, typeof output, EndDeps> = {
  name: 'record-failure',
  input,
  output,
  run: async (subject, deps) => {
    if ('saleId' in subject) {
      await endSale(subject.saleId, subject, deps);
    } else if ('cardId' in subject) {
      await endCardRequest(subject.cardId, subject, deps);
    } else {
      await endCharge(subject.chargeId, subject, deps);
    }
    return { broken: !EXPECTED.includes(subject.error) };
  },
};
