/** What storefronts, payers and merchants do in a scenario: through the storefront API, at terminals, at banks and in the portal. */
import { randomUUID } from 'node:crypto';
import type { Answer, Json, Till } from '../../till.ts';
import type { World } from '../world.ts';
import type { Agenda } from './agenda.ts';
import { type Learned, mayBeRepeated, type Resource } from './learned.ts';
import type { OrderStory, SaleStory } from './scenario.ts';

export class Storefronts {
  readonly #world: World;
  readonly #agenda: Agenda;
  readonly #learned: Learned;

  constructor(world: World, agenda: Agenda, learned: Learned) {
    this.#world = world;
    this.#agenda = agenda;
    this.#learned = learned;
  }

  async sell(story: SaleStory, till: Till): Promise<void> {
    const terminalId = till.merchant.terminals[story.terminal]!;
    const { mode, card, amount, tokenize, charge, hand, abortAfter } = story;
    await till.control('PATCH', `/_sim/terminals/${terminalId}`, { mode, card, delayMs: 300 });
    const { captures = [], ...additionalCharge } = charge ?? {};
    const body = {
      ...{ merchantId: till.merchant.merchantId, terminalId, cashRegisterId: `till-${story.terminal}` },
      ...{ amount, currency: 'EUR', tokenize, customerTrns: 'PAYERDATA room 12' },
      ...(charge && { additionalCharge }),
    };
    const answer = await this.#insist(till, '/sales', body, story.impatient);
    if (answer.status !== 202) {
      return;
    }
    const { saleId, additionalCharge: made } = answer.body;
    this.#learned.keep('sale', saleId, till, body).story = story;
    this.#isAlone(answer.body);
    const start = this.#agenda.seconds;
    if (hand !== undefined) {
      const { after, ...act } = hand;
      this.#agenda.at(start + after, () => this.#hand(terminalId, saleId, act, 25, till));
    }
    if (abortAfter !== undefined) {
      this.#agenda.at(start + abortAfter, () => this.#abort(saleId, till));
    }
    if (made !== undefined) {
      const resource = this.#learned.keep('charge', made.chargeId, till, additionalCharge);
      for (const { after, ...capture } of captures) {
        this.#agenda.at(start + after, () => this.#capture(resource, capture, till, story.impatient));
      }
    }
    for (const { after, forgetAfter } of story.stored) {
      this.#agenda.at(start + after, () => this.#storeCard(saleId, till, forgetAfter));
    }
    for (const { of, after, part } of story.givenBack) {
      const id = of === 'sale' ? saleId : made?.chargeId;
      this.#agenda.at(start + after, () => this.#giveBack(id, part, till));
    }
  }

  /** A terminal with an open session of an earlier sale takes no other. */
  #isAlone({ saleId, terminalId, createdAt }: Json): void {
    const { clock, platform } = this.#world;
    const open = platform.sim.books.sessions.openOn(terminalId, clock.now());
    const other = this.#learned
      .items()
      .find(
        (one) => one.pk === `sale#${open?.sessionId}` && one.status === 'awaiting_card' && one.createdAt < createdAt,
      );
    if (other !== undefined) {
      this.#learned.odd.push(
        `the sale ${saleId} was accepted while ${other.pk} waited for a card at the same terminal`,
      );
    }
  }

  /** Lets the payer act once the terminal asks; until then the payer waits. */
  async #hand(terminalId: string, saleId: string, act: object, patience: number, till: Till): Promise<void> {
    const { terminals } = await till.control('GET', '/_sim/terminals');
    const open = terminals.find((one: Json) => one.terminalId === terminalId)?.openSessionId;
    if (open === saleId) {
      await till.control('POST', `/_sim/terminals/${terminalId}/actions`, act).catch(() => {});
    } else if (patience > 0) {
      this.#agenda.after(3, () => this.#hand(terminalId, saleId, act, patience - 1, till));
    }
  }

  async #abort(saleId: string, till: Till): Promise<void> {
    const { status } = await till.api('POST', `/sales/${saleId}/abort`);
    if (status === 202) {
      this.#learned.resources.get(saleId)!.abortedMs ??= this.#world.clock.now();
    }
  }

  /** Stores the card of the sale, and makes it forgotten. */
  async #storeCard(saleId: string, till: Till, forgetAfter: number): Promise<void> {
    const { transactionId, card } = await this.#learned.read(till, `/sales/${saleId}`);
    const { merchantId } = till.merchant;
    const stored =
      transactionId && card === undefined
        ? await this.#insist(till, '/cards', { merchantId, transactionId }, false)
        : undefined;
    const cardId = stored?.body?.cardId ?? card?.cardId;
    if (cardId !== undefined) {
      this.#agenda.after(forgetAfter, () => till.api('DELETE', `/cards/${cardId}`));
    }
  }

  async #capture(
    resource: Resource,
    body: { readonly amount: number; readonly isvAmount?: number },
    till: Till,
    impatient: boolean,
  ): Promise<void> {
    resource.captures.push(body);
    const answer = await this.#insist(till, `/charges/${resource.id}/capture`, body, impatient);
    if (answer.status === 202) {
      const others: readonly Json[] = answer.body.captures.slice(0, -1);
      if (others.some(({ status }) => status !== 'refused')) {
        this.#learned.odd.push(`the charge ${resource.id} took a second capture`);
      }
      resource.acceptedCaptures.add(answer.body.captures.at(-1).captureId);
    }
  }

  /** Acts in the platform's portal; `customerTrns` marks the request in the log as not ours. */
  async #giveBack(id: string | undefined, part: number, till: Till): Promise<void> {
    const entries: Json[] = this.#world.platform.sim.books.ledger.entries({ merchantId: till.merchant.merchantId });
    const own = entries.filter((one: Json) => id !== undefined && one.merchantTrns.includes(id));
    const preauth = own.find(({ kind }: Json) => kind === 'preauth');
    const taken =
      own.find(({ kind }: Json) => kind === 'sale' || kind === 'charge') ??
      entries.find(({ kind, parentId }: Json) => kind === 'capture' && parentId === preauth?.transactionId);
    if (taken === undefined) {
      return;
    }
    const given = entries.filter(({ parentId }: Json) => parentId === taken.transactionId);
    const left = given.reduce((sum: number, { amount }: Json) => sum - amount, taken.amount);
    const amount = part === 1 ? '' : `&amount=${Math.max(1, Math.floor(left * part))}`;
    const { merchantId, credentials } = till.merchant;
    await fetch(
      `${till.ready.platform.baseUrl}/api/transactions/${taken.transactionId}?customerTrns=elsewhere${amount}`,
      {
        method: 'DELETE',
        headers: { authorization: `Basic ${btoa(`${merchantId}:${credentials.apiKey}`)}` },
      },
    ).catch(() => {});
  }

  async order(story: OrderStory, till: Till): Promise<void> {
    const { merchantId } = till.merchant;
    const { amount, disableExactAmount, expiresInSeconds } = story;
    const customer = { email: 'payer@PAYERDATA.example', fullname: 'PAYERDATA Payer' };
    const body = { merchantId, amount, currency: 'EUR', disableExactAmount, expiresInSeconds, customer };
    const answer = await this.#insist(till, '/rf-orders', body, false); // An order that is being created has several answers.
    const id = answer.body?.rfOrderId;
    if (id === undefined) {
      return;
    }
    this.#learned.keep('rf-order', id, till, body);
    const start = this.#agenda.seconds;
    for (const payment of story.payments) {
      this.#agenda.at(start + payment.after, () => this.#transfer(id, payment, start, till));
    }
    if (story.cancelAfter !== undefined) {
      this.#agenda.at(start + story.cancelAfter, () => till.api('DELETE', `/rf-orders/${id}`));
    }
  }

  async #transfer(id: string, payment: OrderStory['payments'][number], start: number, till: Till): Promise<void> {
    const { rfCode } = await this.#learned.read(till, `/rf-orders/${id}`);
    const body = { rfCode, amount: payment.amount };
    const done = rfCode && (await till.control('POST', '/_sim/bank/transfers', body).catch(() => undefined));
    if (done && payment.returnedAfter !== undefined) {
      this.#agenda.at(start + payment.returnedAfter, () =>
        till.control('POST', `/_sim/bank/transfers/${done.transferId}/return`),
      );
    }
  }

  /** As docs/api.md says: repeat with the same key until there is an answer. */
  async #insist(till: Till, path: string, body: object, twice: boolean): Promise<Answer> {
    const key = randomUUID();
    const send = () => till.api('POST', path, body, { key });
    const answers = await Promise.all(twice ? [send(), send()] : [send()]);
    this.#areOne(path, answers);
    let answer = answers.find(({ status }) => status < 300) ?? answers[0]!;
    for (let tries = 0; tries < 5 && mayBeRepeated(answer); tries++) {
      await this.#agenda.wait(4);
      answer = await send();
    }
    if (twice && answer.status < 300) {
      this.#agenda.after(1_800, async () => {
        const later = await send();
        this.#areOne(path, mayBeRepeated(later) ? [answer] : [answer, later]);
        const other = await till.api('POST', path, { ...body, amount: (body as Json).amount + 1 }, { key });
        if (!mayBeRepeated(other) && other.body?.code !== 'IDEMPOTENCY_KEY_REUSED') {
          this.#learned.odd.push(`POST ${path} with the key of another body answered ${other.status}`);
        }
      });
    }
    const isKnown =
      KNOWN_REFUSALS.includes(answer.body?.code) || (till.merchant.mode === 'isv' && leavesShareOpen(body));
    if (answer.status >= 400 && !isKnown) {
      this.#learned.odd.push(`POST ${path} answered ${answer.status} ${answer.text.slice(0, 300)}`);
    }
    return answer;
  }

  /** Requests with one key get one answer, byte for byte, and so make one resource. */
  #areOne(path: string, answers: readonly Answer[]): void {
    const accepted = answers.filter(({ status }) => status < 300);
    if (new Set(accepted.map(({ text }) => text)).size > 1) {
      this.#learned.odd.push(
        `POST ${path} with one key was answered ${accepted.map(({ text }) => text.slice(0, 120)).join(' and ')}`,
      );
    }
  }
}

/** Refusals by business rules, and of scenarios that ask for more than there is. */
const KNOWN_REFUSALS: readonly string[] = [
  'TERMINAL_IN_USE',
  'CHARGE_NOT_CAPTURABLE',
  'CAPTURE_EXISTS',
  'CAPTURE_TOO_LARGE',
  'ISV_AMOUNT_NEEDED',
  'RF_ORDER_IN_PROGRESS',
  'RF_NOT_ENABLED',
  'RF_ORDER_REFUSED',
  'RF_CODE_INVALID',
  'RF_NOT_CREATED',
  'ACCOUNT_NOT_READY',
  'SERVICE_UNAVAILABLE',
  'INTERNAL_ERROR',
  'TOO_MANY_REQUESTS',
];

/** The ISV amount of a partial capture is known only to the ISV. */
function leavesShareOpen(body: Json): boolean {
  const { isvAmount, captureAmount, captureIsvAmount, amount } = body.additionalCharge ?? {};
  const open = isvAmount > 0 && captureAmount < amount && captureIsvAmount === undefined;
  return open || (body.merchantId === undefined && body.isvAmount === undefined);
}
