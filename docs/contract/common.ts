/** What more than one resource has: failures, timelines, problems. */

import { problems } from '../../shared/api/problems.ts';
import { failure, failureCode } from '../../shared/api/schemas/failure.ts';
import { consent, consentShown, platformReason, timelineEntry } from '../../shared/api/schemas/fields.ts';
import { problem, problemCode, violation } from '../../shared/api/schemas/problem.ts';
import { type FailureCode, failures } from '../../shared/payments/failures.ts';
import { component, requestComponent } from './component.ts';
import { requestId, rfOrderId, saleId } from './ids.ts';

const platform = { status: 403, code: '403', eventId: '10051', correlationId: '25-324-6F1F2E3D' };

export function failureExample(code: FailureCode) {
  return { code, ...failures[code], platform };
}

export const commonComponents = {
  ConsentRequest: requestComponent(consent, {
    is: 'When and how the payer agreed that the card is stored.',
    of: {
      at: 'When the payer agreed. Any offset is accepted; the time is kept in UTC.',
      reference: 'Where your own record of the consent is found.',
    },
    example: { at: '2026-11-21T10:59:00+01:00', reference: 'form 8841' },
  }),
  Consent: component(consentShown, {
    is: 'When and how the payer agreed that the card is stored.',
    of: { at: 'When the payer agreed, in UTC.', reference: 'Where your own record of the consent is found.' },
    example: { at: '2026-11-21T09:59:00.000Z', reference: 'form 8841' },
  }),
  PlatformReason: component(platformReason, {
    is: 'What the platform answered. Quote it to support.',
    of: {
      status: 'The HTTP status of the platform’s answer.',
      code: 'The platform’s error code.',
      eventId: 'The platform’s event id. docs/errors.md says what each one means.',
      correlationId: 'The platform’s id of the call.',
    },
    example: platform,
  }),
  FailureCode: component(failureCode, {
    is: 'Why a resource ended as it did.',
    of: Object.fromEntries(Object.entries(failures).map(([code, { message }]) => [code, message])) as Record<
      FailureCode,
      string
    >,
  }),
  Failure: component(failure, {
    is: 'Why a sale, a card, a charge or an RF order ended as it did.',
    of: {
      code: 'The reason, for programs. Decide by this code.',
      message: 'A sentence for the cashier or the developer. It may be worded better in a later version.',
      retryable: 'Whether you may ask for the same again, with a new key. Nothing was taken by this request.',
      platform: 'What the platform said.',
    },
    example: failureExample('CARD_INSUFFICIENT_FUNDS'),
  }),
  TimelineEntry: component(timelineEntry, {
    is: 'One call, decision or wait.',
    of: {
      at: 'When it happened.',
      event: 'What happened, for example `terminal.requested`.',
      detail: 'Numbers, codes and ids that belong to it. Never card data, tokens or bodies.',
    },
    example: {
      at: '2026-11-21T10:00:01.204Z',
      event: 'terminal.requested',
      detail: { call: 'POST /ecr/v1/transactions:sale', status: 200, durationMs: 187 },
    },
  }),
  ProblemCode: component(problemCode, {
    is: 'Why a request was not carried out.',
    of: Object.fromEntries(Object.entries(problems).map(([code, { title }]) => [code, `${title}.`])) as Record<
      keyof typeof problems,
      string
    >,
  }),
  Violation: component(violation, {
    is: 'One rule that the request breaks. It names a place in the body, or a parameter.',
    of: {
      detail: 'What is wrong, and what is allowed. Values that were sent are never repeated.',
      pointer: 'A JSON pointer into the body.',
      parameter: 'The name of a parameter of the query.',
    },
    example: { detail: 'must be at least 30 minor units', pointer: '/amount', parameter: 'limit' },
  }),
  Problem: component(problem, {
    is: 'The answer to a request that was not carried out (RFC 9457).',
    of: {
      type: 'A URN of the code.',
      title: 'The meaning of the code, in a few words.',
      status: 'The HTTP status.',
      detail: 'What is wrong with this request.',
      instance:
        'The path of the request. If the gateway answers by itself, the path of the route, such as `/sales/{saleId}`.',
      code: 'The reason, for programs. Decide by this code.',
      retryable: 'Whether the same request, with the same idempotency key, may succeed later.',
      requestId: 'Quote this to support.',
      saleId: 'With TERMINAL_IN_USE: the sale that holds the terminal.',
      rfOrderId: 'The RF order that is `failed` because of this.',
      platform: 'What the platform said, for support.',
      errors:
        'What is not valid in the request: first the query, then each field of the body, then the rules between fields.',
    },
    example: {
      type: 'urn:tillflow:problem:invalid-request',
      title: 'The request is not valid',
      status: 400,
      detail: 'The body has fields that are not valid. See errors.',
      instance: '/v1/sales',
      code: 'INVALID_REQUEST',
      retryable: false,
      requestId,
      saleId,
      rfOrderId,
      platform,
      errors: [{ pointer: '/amount', detail: 'must be at least 30 minor units' }],
    },
  }),
};
