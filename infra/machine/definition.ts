/**
 * The payment state machine in Amazon States Language. It orders, waits, retries and catches, and computes nothing: ids
 * travel in variables, a step gets one of them, and returns only what the next Choice needs. No card data, token or
 * body enters the state, whose history is kept for 90 days.
 *
 * An execution starts at one of three states (see Route) with `{saleId, cardId, chargeId}`, null for the absent ones.
 */
import { Aws } from 'aws-cdk-lib';
import { errorName } from '../../shared/flow/errors.ts';
import type { ChargeState, SourceState } from '../../shared/flow/stopped.ts';
import type { StepName } from '../functions.ts';
import {
  onlyIfNotSent,
  safeToRepeat,
  untilKnown,
  untilTimeout,
  untilTransactionIsVisible,
  untilWrittenDown,
  whileSaleMayBeSent,
  whileTerminalIsOpen,
} from './retry.ts';

const saleId = '{% $saleId %}';
const chargeId = '{% $chargeId %}';
/** The sale, or the transaction made elsewhere, that the card comes from: `{saleId}` or `{cardId}`. */
const source = '{% $source %}';
const payload = '{% $states.result.Payload %}';
const error = '{% $states.errorOutput.Error %}';
const taskToken = '{% $states.context.Task.Token %}';
/** The remaining time of the hold, also after a refused capture. */
const untilCaptureBefore =
  '{% $max([1, $ceil(($toMillis($captureBefore) - $toMillis($states.context.State.EnteredTime)) / 1000)]) %}';
const nothing = {};

/** `send-sale-request` is SendSaleRequest. */
type InPascalCase<Name extends string> = Name extends `${infer Word}-${infer Rest}`
  ? `${Capitalize<Word>}${InPascalCase<Rest>}`
  : Capitalize<Name>;

/** A step and its state share one name. */
type StepState = InPascalCase<StepName>;
/** States that call nothing. */
type ControlState =
  | 'Route'
  | 'NothingToDo'
  | 'CardToStore'
  | 'ChargeToMake'
  | 'AuthenticationNeeded'
  | 'CaptureToMake'
  | 'Broken'
  | 'Broke'
  | 'Done';
type StateName = StepState | ControlState;

interface State {
  readonly Type: 'Task' | 'Choice' | 'Succeed' | 'Fail';
  readonly Next?: StateName;
  readonly Default?: StateName;
  readonly Choices?: readonly { readonly Condition: string; readonly Next: StateName }[];
  readonly Catch?: readonly { readonly Next: StateName }[];
  readonly [field: string]: unknown;
}

/** Every step but the last resort can stop, and each of them says in shared/flow/stopped.ts what it leaves behind. */
type Uncaught = Exclude<StepState, SourceState | ChargeState | 'RecordFailure'>;

export function paymentDefinition(arnOf: (step: StepName) => string) {
  const step = (name: StepName, Payload: unknown) => ({
    Type: 'Task' as const,
    Resource: `arn:${Aws.PARTITION}:states:::lambda:invoke`,
    Arguments: { FunctionName: arnOf(name), Payload },
    TimeoutSeconds: 25,
    Output: nothing,
  });
  /** A step that ends when its task token is returned. */
  const waitingStep = (name: StepName, ids: Readonly<Record<string, string>>) => ({
    ...step(name, { ...ids, taskToken }),
    Resource: `arn:${Aws.PARTITION}:states:::lambda:invoke.waitForTaskToken`,
  });

  return {
    Comment: 'A sale on a terminal, the card that it stores, and the charge of that card',
    QueryLanguage: 'JSONata',
    StartAt: 'Route',
    States: {
      Route: {
        Type: 'Choice',
        Choices: [
          entry('saleId', 'SendSaleRequest', { saleId: '{% $states.input.saleId %}' }),
          entry('cardId', 'RetrieveTransaction', { cardId: '{% $states.input.cardId %}' }),
          entry('chargeId', 'CreateChargeToken', null),
        ],
        Default: 'NothingToDo',
      },
      NothingToDo: { Type: 'Fail', Error: 'NothingToDo', Cause: 'The input names no sale, card or charge.' },

      SendSaleRequest: {
        ...step('send-sale-request', { saleId }),
        Retry: whileSaleMayBeSent,
        Catch: [sourceFailed('SendSaleRequest')],
        Next: 'AwaitTerminal',
      },
      AwaitTerminal: {
        ...waitingStep('await-terminal', { saleId }),
        TimeoutSeconds: 6,
        Retry: whileTerminalIsOpen,
        Catch: [sourceFailed('AwaitTerminal')],
        Next: 'RetrieveTransaction',
      },
      RetrieveTransaction: {
        ...step('retrieve-transaction', source),
        Output: payload,
        Retry: untilTransactionIsVisible,
        Catch: [sourceFailed('RetrieveTransaction')],
        Next: 'CardToStore',
      },
      CardToStore: {
        Type: 'Choice',
        Choices: [{ Condition: '{% $states.input.tokenize %}', Next: 'CreateCardToken' }],
        Default: 'Done',
      },
      CreateCardToken: {
        ...step('create-card-token', source),
        Retry: safeToRepeat,
        Catch: [sourceFailed('CreateCardToken')],
        Next: 'ChargeToMake',
      },
      ChargeToMake: {
        Type: 'Choice',
        Choices: [{ Condition: '{% $chargeId != null %}', Next: 'CreateChargeToken' }],
        Default: 'Done',
      },

      CreateChargeToken: {
        ...step('create-charge-token', { chargeId }),
        Output: payload,
        Retry: safeToRepeat,
        Catch: [chargeFailed('CreateChargeToken')],
        Next: 'AuthenticationNeeded',
      },
      AuthenticationNeeded: {
        Type: 'Choice',
        Choices: [{ Condition: '{% $states.input.authenticate %}', Next: 'AwaitAuthentication' }],
        Default: 'CreateTransaction',
      },
      AwaitAuthentication: {
        ...waitingStep('await-authentication', { chargeId }),
        TimeoutSeconds: 600,
        Retry: untilTimeout,
        Catch: [chargeFailed('AwaitAuthentication')],
        Next: 'CreateTransaction',
      },
      CreateTransaction: {
        ...step('create-transaction', { chargeId }),
        Output: payload,
        Assign: { captureBefore: '{% $states.result.Payload.captureBefore %}' },
        Retry: onlyIfNotSent,
        Catch: [chargeFailed('CreateTransaction', [errorName.rejected]), goTo('ReconcileCharge')],
        Next: 'CaptureToMake',
      },
      ReconcileCharge: {
        ...step('reconcile-charge', { chargeId }),
        Output: payload,
        Assign: { captureBefore: '{% $states.result.Payload.captureBefore %}' },
        Retry: safeToRepeat,
        Catch: [chargeFailed('ReconcileCharge')],
        // A charge that an attempt made but could not report continues here as if it had.
        Next: 'CaptureToMake',
      },

      CaptureToMake: {
        Type: 'Choice',
        Choices: [
          { Condition: "{% $states.input.capture = 'immediate' %}", Next: 'Capture' },
          { Condition: "{% $states.input.capture = 'manual' %}", Next: 'AwaitCapture' },
        ],
        Default: 'Done',
      },
      AwaitCapture: {
        ...waitingStep('await-capture', { chargeId }),
        TimeoutSeconds: untilCaptureBefore,
        Retry: untilTimeout,
        Catch: [goTo('Void', ['States.Timeout', errorName.rejected]), chargeFailed('AwaitCapture')],
        Next: 'Capture',
      },
      Capture: {
        ...step('capture', { chargeId }),
        Retry: untilKnown,
        // A refused capture leaves the hold unchanged, so another one may follow.
        Catch: [goTo('AwaitCapture', [errorName.rejected]), chargeFailed('Capture')],
        Next: 'Done',
      },
      Void: {
        ...step('void', { chargeId }),
        Retry: untilKnown,
        Catch: [chargeFailed('Void')],
        Next: 'Done',
      },

      RecordFailure: {
        ...step('record-failure', '{% $failed %}'),
        Output: payload,
        Retry: untilWrittenDown,
        Next: 'Broken',
      },
      Broken: {
        Type: 'Choice',
        Choices: [{ Condition: '{% $states.input.broken %}', Next: 'Broke' }],
        Default: 'Done',
      },
      // Refused, cancelled, expired and unknown are ends of a healthy execution; this one raises an alarm.
      Broke: { Type: 'Fail', Error: '{% $failed.error %}', Cause: '{% $failed.state %}' },
      Done: { Type: 'Succeed', Output: nothing },
    } satisfies Readonly<Record<StateName, State>> & Readonly<Record<Uncaught, never>>,
  };
}

/** The start for executions that have this id and none of the earlier ones. */
function entry(id: string, Next: StateName, source: unknown) {
  return {
    Condition: `{% $states.input.${id} != null %}`,
    Assign: {
      saleId: '{% $states.input.saleId %}',
      cardId: '{% $states.input.cardId %}',
      chargeId: '{% $states.input.chargeId %}',
      source,
    },
    Next,
  };
}

function goTo(Next: StateName, ErrorEquals: readonly string[] = ['States.ALL']) {
  return { ErrorEquals, Output: nothing, Next };
}

function chargeFailed(state: ChargeState, errors?: readonly string[]) {
  return { ...goTo('RecordFailure', errors), Assign: { failed: { chargeId, state, error } } };
}

function sourceFailed(state: SourceState) {
  const failed = `{% $merge([$source, {'state': '${state}', 'error': $states.errorOutput.Error}]) %}`;
  return { ...goTo('RecordFailure'), Assign: { failed } };
}
