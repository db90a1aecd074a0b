/** The synthesized definition, run by the sandbox's interpreter with steps that the test scripts. */
import { describe, expect, it } from 'vitest';
import type { StepName } from '../../infra/functions.ts';
import type { InvokeResult } from '../../sandbox/cloud/seams.ts';
import { runMachine } from '../unit/sandbox/cloud/states/machines.ts';
import { synthesized, text } from './synthesized.ts';

const { only, resources } = synthesized('local');
const definition = JSON.parse(text(only('AWS::StepFunctions::StateMachine').DefinitionString));
const names = new Map(
  Object.entries(resources('AWS::Lambda::Function')).map(([id, { Properties }]) => [
    `<${id}.Arn>`,
    (Properties.FunctionName as string).replace('tillflow-local-', '') as StepName,
  ]),
);

type Answer = object | string;

/** A hold of five days. */
const captureBefore = new Date(Date.now() + 432_000_000).toISOString();
/** A charge without a hold. */
const made = { capture: 'none', captureBefore: null };

/** What the steps answer, in turn; the last answer repeats. A text is the name of an error. A waiting step ends at once. */
const usual: Partial<Readonly<Record<StepName, readonly Answer[]>>> = {
  'retrieve-transaction': [{ tokenize: true }],
  'create-charge-token': [{ authenticate: false }],
  'create-transaction': [made],
  'reconcile-charge': [made],
  'record-failure': [{ broken: false }],
};

const sale = { saleId: 'a-sale', cardId: null, chargeId: 'a-charge' };
const charge = { saleId: null, cardId: null, chargeId: 'a-charge' };
const never = 'never';

async function run(
  input: object,
  answers: Partial<Readonly<Record<StepName, readonly Answer[]>>> = {},
  seconds = 3600,
) {
  const turns = new Map<StepName, number>();
  const steps: { readonly step: StepName; readonly payload: object }[] = [];
  const play = (payload: unknown, arn: string): InvokeResult => {
    const step = names.get(arn) as StepName;
    const { taskToken, ...ids } = payload as { taskToken?: string };
    steps.push({ step, payload: ids });
    const all = answers[step] ?? usual[step] ?? [{}];
    const turn = turns.get(step) ?? 0;
    turns.set(step, turn + 1);
    const answer = all[Math.min(turn, all.length - 1)] as Answer;
    if (taskToken !== undefined && answer !== never && typeof answer !== 'string') {
      queueMicrotask(() => machine.states.sendTaskSuccess({ taskToken, output: '{}' }));
    }
    return typeof answer === 'string' && answer !== never
      ? { ok: false, errorType: answer, errorMessage: 'CODE: detail' }
      : { ok: true, payload: typeof answer === 'string' ? {} : answer };
  };
  const machine = runMachine(definition, { play });
  const { arn, status, error, cause } = await machine.run(input, seconds);
  const path = machine.states
    .history(arn)
    .filter(({ type }) => type.endsWith('StateEntered'))
    .map((event) => (event['stateEnteredEventDetails'] as { name: string }).name);
  return { status, error, cause, path, steps, transitions: machine.states.transitions(arn) };
}

const toTheCharge = [
  'Route',
  'SendSaleRequest',
  'AwaitTerminal',
  'RetrieveTransaction',
  'CardToStore',
  'CreateCardToken',
  'ChargeToMake',
  'CreateChargeToken',
  'AuthenticationNeeded',
  'CreateTransaction',
];

describe('the path of a payment', () => {
  it('leads from the terminal to the charge within its budget of transitions', async () => {
    const { status, path, transitions } = await run(sale);

    expect(path).toEqual([...toTheCharge, 'CaptureToMake', 'Done']);
    expect(status).toBe('SUCCEEDED');
    expect(transitions).toBeLessThanOrEqual(13);
  });

  it('ends after the terminal when no card is stored', async () => {
    const { path } = await run(sale, { 'retrieve-transaction': [{ tokenize: false }] });

    expect(path).toEqual(['Route', 'SendSaleRequest', 'AwaitTerminal', 'RetrieveTransaction', 'CardToStore', 'Done']);
  });

  it('ends with the card when no charge was requested', async () => {
    const { path } = await run({ ...sale, chargeId: null });

    expect(path.slice(-3)).toEqual(['CreateCardToken', 'ChargeToMake', 'Done']);
  });

  it('stores the card of a transaction made elsewhere, by the id of the request', async () => {
    const { path, steps } = await run({ saleId: null, cardId: 'card_1', chargeId: null });

    expect(path).toEqual(['Route', 'RetrieveTransaction', 'CardToStore', 'CreateCardToken', 'ChargeToMake', 'Done']);
    expect(steps.map(({ payload }) => payload)).toEqual([{ cardId: 'card_1' }, { cardId: 'card_1' }]);
  });

  it('starts at the charge token for a stored card', async () => {
    const { path } = await run(charge);

    expect(path).toEqual([
      'Route',
      'CreateChargeToken',
      'AuthenticationNeeded',
      'CreateTransaction',
      'CaptureToMake',
      'Done',
    ]);
  });

  it('waits for the payer when the issuer asks for authentication', async () => {
    const { path } = await run(charge, { 'create-charge-token': [{ authenticate: true }] });

    expect(path.slice(2, 5)).toEqual(['AuthenticationNeeded', 'AwaitAuthentication', 'CreateTransaction']);
  });

  it('gives up on a payer who does not return within ten minutes, without asking again', async () => {
    const { steps, path } = await run(charge, {
      'create-charge-token': [{ authenticate: true }],
      'await-authentication': [never],
    });

    expect(path).not.toContain('CreateTransaction');
    expect(steps.slice(-2)).toEqual([
      { step: 'await-authentication', payload: { chargeId: 'a-charge' } },
      {
        step: 'record-failure',
        payload: { chargeId: 'a-charge', state: 'AwaitAuthentication', error: 'States.Timeout' },
      },
    ]);
  });

  it('fails for an input that names nothing to do', async () => {
    const { status } = await run({ saleId: null, cardId: null, chargeId: null });

    expect(status).toBe('FAILED');
  });
});

describe('the path of a charge', () => {
  it('sends no second request when the outcome is unknown', async () => {
    for (const error of ['UnknownOutcomeError', 'Sandbox.Timedout', 'Lambda.Unknown', 'States.Timeout', 'FaultError']) {
      const { steps, path, status } = await run(charge, { 'create-transaction': [error] });

      expect(steps.filter(({ step }) => step === 'create-transaction')).toHaveLength(1);
      expect(path.slice(-3)).toEqual(['ReconcileCharge', 'CaptureToMake', 'Done']);
      expect(status).toBe('SUCCEEDED');
    }
  });

  it('sends another request when nothing was sent', async () => {
    const { steps, path } = await run(charge, {
      'create-transaction': ['TransientError', made],
    });

    expect(steps.filter(({ step }) => step === 'create-transaction')).toHaveLength(2);
    expect(path.at(-1)).toBe('Done');
  });

  it('ends without an error when the card is refused', async () => {
    const { steps, status } = await run(charge, { 'create-transaction': ['RejectedError'] });

    expect(steps.at(-1)).toEqual({
      step: 'record-failure',
      payload: { chargeId: 'a-charge', state: 'CreateTransaction', error: 'RejectedError' },
    });
    expect(status).toBe('SUCCEEDED');
  });

  it('leads to the capture at once when that was requested', async () => {
    const { path } = await run(charge, { 'create-transaction': [{ capture: 'immediate', captureBefore }] });

    expect(path.slice(-3)).toEqual(['CaptureToMake', 'Capture', 'Done']);
  });

  it('leads to the capture when the attempt that made the hold could not report it', async () => {
    const { path } = await run(charge, {
      'create-transaction': ['Lambda.Unknown'],
      'reconcile-charge': [{ capture: 'immediate', captureBefore }],
    });

    expect(path.slice(-4)).toEqual(['ReconcileCharge', 'CaptureToMake', 'Capture', 'Done']);
  });

  it('waits for a capture no longer than the hold lasts, although one was refused meanwhile', async () => {
    const { path } = await run(
      charge,
      {
        'create-transaction': [{ capture: 'immediate', captureBefore: new Date(Date.now() + 60_000).toISOString() }],
        capture: ['RejectedError'],
        'await-capture': [never],
      },
      120,
    );

    expect(path.slice(-3)).toEqual(['AwaitCapture', 'Void', 'Done']);
  });

  it('leads to a capture on request, and to another one after a refusal', async () => {
    const { path } = await run(charge, {
      'create-transaction': [{ capture: 'manual', captureBefore }],
      capture: ['RejectedError', {}],
    });

    expect(path.slice(-6)).toEqual(['CaptureToMake', 'AwaitCapture', 'Capture', 'AwaitCapture', 'Capture', 'Done']);
  });

  it('leads to a void when no capture is requested in time', async () => {
    const { path, steps } = await run(
      charge,
      { 'create-transaction': [{ capture: 'manual', captureBefore }], 'await-capture': [never] },
      500_000,
    );

    expect(path.slice(-3)).toEqual(['AwaitCapture', 'Void', 'Done']);
    expect(steps.filter(({ step }) => step === 'await-capture')).toHaveLength(1);
  });

  it.each(['UnknownOutcomeError', 'Lambda.Unknown', 'Sandbox.Timedout', 'Lambda.ServiceException'])(
    'repeats capture or void after %s, which read back first, and ends with a known outcome',
    async (error) => {
      const captured = await run(charge, {
        'create-transaction': [{ capture: 'immediate', captureBefore }],
        capture: [error, 'UnknownOutcomeError', {}],
      });
      const released = await run(
        charge,
        {
          'create-transaction': [{ capture: 'manual', captureBefore: new Date(Date.now() + 60_000).toISOString() }],
          'await-capture': [never],
          void: [error, {}],
        },
        3600,
      );

      expect(captured.steps.slice(-3).map(({ step }) => step)).toEqual(['capture', 'capture', 'capture']);
      expect(captured.path.slice(-2)).toEqual(['Capture', 'Done']);
      expect(released.steps.slice(-2).map(({ step }) => step)).toEqual(['void', 'void']);
      expect(released.path.slice(-2)).toEqual(['Void', 'Done']);
    },
  );

  it('reads the capture back for half an hour, then leaves it to the schedule', async () => {
    const captured = await run(charge, {
      'create-transaction': [{ capture: 'immediate', captureBefore }],
      capture: ['UnknownOutcomeError'],
    });

    expect(captured.steps.filter(({ step }) => step === 'capture')).toHaveLength(9);
    expect(captured.steps.at(-1)).toEqual({
      step: 'record-failure',
      payload: { chargeId: 'a-charge', state: 'Capture', error: 'UnknownOutcomeError' },
    });
    expect(captured.status).toBe('SUCCEEDED');
  });

  it('takes at most 15 transitions up to the capture, and 25 with one fault', async () => {
    const manual = { 'create-transaction': [{ capture: 'manual', captureBefore }] };
    const immediate = { 'create-transaction': [{ capture: 'immediate', captureBefore }] };
    const unknown = Array.from({ length: 8 }, () => 'UnknownOutcomeError');

    expect((await run(sale, manual)).transitions).toBeLessThanOrEqual(15);
    expect((await run(sale, immediate)).transitions).toBeLessThanOrEqual(14);
    expect((await run(sale, { ...manual, capture: [...unknown, {}] })).transitions).toBeLessThanOrEqual(25);
    expect(
      (await run(sale, { ...manual, capture: [...unknown, 'RejectedError', {}] })).transitions,
    ).toBeLessThanOrEqual(25);
  });
});

describe('the path of a failure', () => {
  it('at the terminal records the failure for the sale, with its state and error', async () => {
    const { steps, status, path } = await run(sale, { 'send-sale-request': ['RejectedError'] });

    expect(path).toEqual(['Route', 'SendSaleRequest', 'RecordFailure', 'Broken', 'Done']);
    expect(steps.at(-1)?.payload).toEqual({ saleId: 'a-sale', state: 'SendSaleRequest', error: 'RejectedError' });
    expect(status).toBe('SUCCEEDED');
  });

  it('of our own makes the execution fail, named by error and state', async () => {
    const { status, error, cause } = await run(sale, {
      'create-card-token': ['FaultError'],
      'record-failure': [{ broken: true }],
    });

    expect({ status, error, cause }).toEqual({ status: 'FAILED', error: 'FaultError', cause: 'CreateCardToken' });
  });

  it('of a terminal that does not answer reads again for minutes, each time from the start', async () => {
    const { steps } = await run(sale, { 'await-terminal': [never] });

    expect(steps.filter(({ step }) => step === 'await-terminal')).toHaveLength(41);
    expect(steps.at(-1)?.payload).toEqual({ saleId: 'a-sale', state: 'AwaitTerminal', error: 'States.Timeout' });
  });

  it('to record a failure repeats until it is recorded', async () => {
    const { steps, status } = await run(sale, {
      'send-sale-request': ['FaultError'],
      'record-failure': ['TransientError', 'Lambda.Unknown', 'Lambda.TooManyRequestsException', { broken: false }],
    });

    expect(steps.filter(({ step }) => step === 'record-failure')).toHaveLength(4);
    expect(status).toBe('SUCCEEDED');
  });
});
