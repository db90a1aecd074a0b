/**
 * Bugs that somebody could make, each as one small change of the code. The simulation has to find every one of them:
 * `npm run planted` applies them one at a time. `from` occurs once in the file.
 */
export interface Bug {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const createTransaction = 'functions/charge/create-transaction/step.ts';
const createChargeToken = 'functions/charge/create-charge-token/step.ts';
const sendSaleRequest = 'functions/sale/send-sale-request/step.ts';
const chargeJudgement = 'shared/reconciliation/charge/judgement.ts';
const saleJudgement = 'shared/reconciliation/sale/judgement.ts';
const holdCapture = 'shared/reconciliation/hold/capture.ts';
const holdJudgement = 'shared/reconciliation/hold/judgement.ts';
const proof = 'shared/reconciliation/records/proof.ts';
const secondReading = 'shared/reconciliation/records/second-reading.ts';
const rfBooks = 'shared/reconciliation/rf-order/books.ts';
const rfJudgement = 'shared/reconciliation/rf-order/judgement.ts';
const outcomes = 'shared/viva/outcomes.ts';
const store = 'shared/payments/store.ts';
const transitions = 'shared/payments/transitions.ts';
const reservation = 'functions/charge/request-capture/reservation.ts';

export const bugs: readonly Bug[] = [
  {
    name: 'two attempts may send the same charge',
    file: createTransaction,
    from: 'if (item.sentAt !== undefined || chargeEnded(item.status)) {',
    to: 'if (chargeEnded(item.status)) {',
  },
  {
    name: 'a lost answer releases the claim of a charge',
    file: createTransaction,
    from: 'if (error instanceof TransientError) {\n    await payments',
    to: 'if (error instanceof FlowError && !(error instanceof RejectedError)) {\n    await payments',
  },
  {
    name: 'a second charge token replaces the first',
    file: createChargeToken,
    from: 'if (item.ctokRef !== undefined || item.sealed === true || chargeEnded(item.status)) {',
    to: 'if (chargeEnded(item.status)) {',
  },
  {
    name: 'the charge of an aborted sale is made',
    file: createChargeToken,
    from: 'if (sale?.abortRequestedAt !== undefined) {',
    to: 'if (sale === undefined) {',
  },
  {
    name: 'a charge that was sent ends as unsent',
    file: transitions,
    from: " || charge.status === 'authorized' || charge.sentAt !== undefined) {",
    to: " || charge.status === 'authorized') {",
  },
  {
    name: 'two attempts may send the same sale',
    file: sendSaleRequest,
    from: "item.status === 'created' && item.requestedAt === undefined && item.abortRequestedAt === undefined",
    to: "item.status === 'created' && item.abortRequestedAt === undefined",
  },
  {
    name: 'a sale request without an answer is sent again',
    file: sendSaleRequest,
    from: "if (error instanceof RejectedError || error instanceof FaultError) {\n    await payments.change('sale', sale.saleId, (item) => refused",
    to: "if (!(error instanceof RejectedError || error instanceof FaultError)) {\n    await payments.change('sale', sale.saleId, (item) => notStarted(item, sale, 'X', now()));\n    throw new TransientError('X', 'again');\n  } else {\n    await payments.change('sale', sale.saleId, (item) => refused",
  },
  {
    name: 'one reading of an absence ends a charge',
    file: chargeJudgement,
    from: 'if (!agrees || !isOver) {',
    to: 'if (!isOver && !agrees) {',
  },
  {
    name: 'one reading is taken for proof',
    file: secondReading,
    from: 'agrees: same !== undefined && Date.parse(same.at) + APART_MS <= at,',
    to: 'agrees: true,',
  },
  {
    name: 'two readings in the same moment agree',
    file: secondReading,
    from: 'Date.parse(same.at) + APART_MS <= at',
    to: 'Date.parse(same.at) <= at',
  },
  {
    name: 'a sale counts as absent before it can be late',
    file: saleJudgement,
    from: 'const ABSENT_AFTER_MS = 17 * MINUTE_MS;',
    to: 'const ABSENT_AFTER_MS = 1 * MINUTE_MS;',
  },
  {
    name: 'a sale that is found paid late does not say so',
    file: saleJudgement,
    from: 'const late = saleReportedUnpaid(before) && {',
    to: 'const late = saleReportedUnpaid(before) && before === sale.statusBeforeReview && {',
  },
  {
    name: 'two attempts may send the same capture',
    file: holdCapture,
    from: 'item.voidSentAt === undefined && capture?.sentAt === undefined;',
    to: 'item.voidSentAt === undefined;',
  },
  {
    name: 'a capture without an answer is sent again at once',
    file: holdCapture,
    from: 'if (error instanceof TransientError || error instanceof FaultError) {',
    to: 'if (error instanceof FlowError && !(error instanceof RejectedError)) {',
  },
  {
    name: 'a capture is sent again while it may still arrive',
    file: holdJudgement,
    from: 'const NOT_MADE_AFTER_MS = 20 * MINUTE_MS;',
    to: 'const NOT_MADE_AFTER_MS = 0 * MINUTE_MS;',
  },
  {
    name: 'a hold takes two captures',
    file: reservation,
    from: "if (charge.captures.some(({ status }) => status !== 'refused')) {",
    to: "if (charge.captures.some(({ status }) => status === 'unknown')) {",
  },
  {
    name: 'a capture may be larger than the hold',
    file: reservation,
    from: 'if (amount > charge.authorizedAmount) {',
    to: 'if (amount > 2 * charge.authorizedAmount) {',
  },
  {
    name: 'a hold is not released at its end',
    file: 'shared/reconciliation/hold/advance.ts',
    from: 'return isToRelease ? sendVoid(rest, deps) : rest;',
    to: 'return isToRelease && rest.foundLate ? sendVoid(rest, deps) : rest;',
  },
  {
    name: 'a child is taken for a payment',
    file: proof,
    from: '.filter(({ parentId }) => parentId === undefined)\n    .map((record) => {',
    to: '.map((record) => {',
  },
  {
    name: 'another amount is taken for ours',
    file: proof,
    from: 'return record.amount === amount && record.currency === currency',
    to: 'return record.amount > 0 && record.currency === currency',
  },
  {
    name: 'a failed record proves a payment',
    file: proof,
    from: 'return /^(F|C|R|X|M[AILSW]?)$/.test(statusId);',
    to: 'return /^(E|F|C|R|X|M[AILSW]?)$/.test(statusId);',
  },
  {
    name: 'what was given back is not read',
    file: proof,
    from: "({ statusId, transactionTypeId }) => statusId === 'F' && !TAKING_TYPES.includes(transactionTypeId),",
    to: "({ statusId, transactionTypeId }) => statusId === 'Z' && !TAKING_TYPES.includes(transactionTypeId),",
  },
  {
    name: 'an answer of 5xx is a refusal',
    file: outcomes,
    from: 'if (status < 400 || status === 408 || status === 429 || status >= 500) {',
    to: 'if (status < 400 || status === 408 || status === 429) {',
  },
  {
    name: 'no answer means that nothing was sent',
    file: outcomes,
    from: "return outcome.kind === 'not_sent'",
    to: 'return outcome.kind !== undefined',
  },
  {
    name: 'a write ignores what others wrote',
    file: store,
    from: "{ ConditionExpression: 'writeId = :before', ExpressionAttributeValues: { ':before': before } }),",
    to: '{}),',
  },
  {
    name: 'a write does not recognize itself',
    file: store,
    from: 'if ((await put(changed, item.writeId)) || (await read(kind, id))?.writeId === writeId) {',
    to: 'if (await put(changed, item.writeId)) {',
  },
  {
    name: 'a decision about money reads an earlier state',
    file: store,
    from: 'ConsistentRead: true }),',
    to: '}),',
  },
  {
    name: 'an item is created twice',
    file: store,
    from: "? { ConditionExpression: 'attribute_not_exists(pk)' }",
    to: '? {}',
  },
  {
    name: 'an open item has no due time',
    file: 'shared/payments/due.ts',
    from: 'return item.dueAt ?? (isOpen(kind, item) ? iso(now + DUE_AFTER_MS) : undefined);',
    to: 'return item.dueAt;',
  },
  {
    name: 'the outbox is emptied before the bus has the event',
    file: 'shared/events/publish.ts',
    from: '  await putEvents(outbox.map((event) => cloudEvent(kind, id, item, event)));\n',
    to: '  void putEvents(outbox.map((event) => cloudEvent(kind, id, item, event))).catch(() => {});\n',
  },
  {
    name: 'an event that was added meanwhile is lost',
    file: 'shared/events/publish.ts',
    from: '.filter(({ eventId }) => !published.has(eventId));',
    to: '.filter(({ eventId }) => published.size === 0 && !published.has(eventId));',
  },
  {
    name: 'an RF payment counts twice',
    file: rfBooks,
    from: 'const payments = new Map(order.payments.map((payment) => [idOf(payment), payment]));',
    to: 'const payments = new Map(order.payments.map((payment) => [idOf(payment).toUpperCase(), payment]));',
  },
  {
    name: 'a returned RF payment still counts',
    file: rfJudgement,
    from: 'return payments.reduce((sum, { amount, returned = 0 }) => sum + amount - returned, 0);',
    to: 'return payments.reduce((sum, { amount }) => sum + amount, 0);',
  },
  {
    name: 'an underpaid RF order is paid',
    file: rfJudgement,
    from: 'if (amountPaid >= order.amount) {',
    to: 'if (amountPaid > 0) {',
  },
  {
    name: 'one reading of another amount counts for an RF order',
    file: rfBooks,
    from: 'if (mismatch === undefined && (agrees || isConfirmed)) {',
    to: 'if (mismatch === undefined) {',
  },
  {
    name: 'the terminal is free while its sale runs',
    file: 'functions/sale/create-sale/lease.ts',
    from: 'return terminalEnded(sale.status) || neverSent(sale, now)',
    to: "return sale.status !== 'created' || neverSent(sale, now)",
  },
  {
    name: 'a webhook is deleted before it was acted on',
    file: 'shared/payments/due.ts',
    from: '  new: true,\n',
    to: '  new: false,\n',
  },
  {
    name: 'a sale is sent after its payer left',
    file: 'functions/sale/create-sale/items.ts',
    from: 'const SEND_WITHIN_MS = 30_000;',
    to: 'const SEND_WITHIN_MS = 300_000;',
  },
  {
    name: 'a webhook is believed',
    file: 'functions/webhooks/act-on-webhook/sale.ts',
    from: '  const unexplained = webhooks.filter((webhook) => mayBeNews(sale, webhook));\n',
    to: "  const unexplained = webhooks.filter((webhook) => mayBeNews(sale, webhook));\n  if (unexplained.length > 0) {\n    await deps.payments.change('sale', sale.saleId, () => ({ status: 'paid' }));\n  }\n",
  },
  {
    name: 'the name of an error is minified',
    file: 'shared/flow/errors.ts',
    from: 'override readonly name = errorName.unknown;',
    to: "override readonly name = 'ke' as never;",
  },
  {
    name: 'a repeated key makes a second item',
    file: 'shared/api/idempotency.ts',
    from: 'JSON.stringify(parameters), key),',
    to: 'JSON.stringify(parameters), key, request.requestId),',
  },
  {
    name: 'another body with the same key is accepted',
    file: 'shared/api/idempotency.ts',
    from: 'if (origin?.requestHash !== requestHash) {',
    to: 'if (origin?.requestHash === undefined) {',
  },
  {
    name: 'an expired access token is trusted because it is still stored',
    file: 'shared/tokens/store.ts',
    from: "return Item === undefined || Item['expiresAt'] <= nowSeconds() ? undefined : (Item as never);",
    to: 'return Item as never;',
  },
];
