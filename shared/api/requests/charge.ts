/** The rules between the fields of a charge of a stored card, and of its capture. */
import type { Violation } from '../problem.ts';
import type { CaptureBody, ChargeFields } from '../schemas/charge.ts';

/** `at`: the JSON pointer of the charge's object. */
export function chargeRules(charge: ChargeFields, at: string): Violation[] {
  const { preauth, capture, captureAmount, captureIsvAmount } = charge;
  const isPart = captureAmount !== undefined && captureAmount < charge.amount;
  const broken: [boolean, string, string][] = [
    [charge.isvAmount > charge.amount, 'isvAmount', 'must be at most amount'],
    [capture !== undefined && !preauth, 'capture', 'needs preauth'],
    [captureAmount !== undefined && capture !== 'immediate', 'captureAmount', 'needs capture "immediate"'],
    [captureIsvAmount !== undefined && capture !== 'immediate', 'captureIsvAmount', 'needs capture "immediate"'],
    [captureAmount !== undefined && captureAmount > charge.amount, 'captureAmount', 'must be at most amount'],
    [
      captureIsvAmount !== undefined && captureIsvAmount > (captureAmount ?? charge.amount),
      'captureIsvAmount',
      'must be at most captureAmount',
    ],
    [
      isPart && charge.isvAmount > 0 && captureIsvAmount === undefined,
      'captureIsvAmount',
      'is required: the ISV has a share of the amount, and only the ISV knows its share of captureAmount',
    ],
    [preauth && charge.installments > 1, 'installments', 'must be at most 1 with preauth'],
    [preauth && charge.allowsRecurring, 'allowsRecurring', 'must be false with preauth'],
  ];
  return broken.flatMap(([isBroken, field, detail]) => (isBroken ? [{ pointer: `${at}/${field}`, detail }] : []));
}

export function captureRules({ amount, isvAmount = 0 }: CaptureBody): Violation[] {
  return isvAmount > amount ? [{ pointer: '/isvAmount', detail: 'must be at most amount' }] : [];
}
