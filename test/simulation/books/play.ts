/**
 * Plays a scenario in a simulated world through the storefront API, the platform's own API with the merchants'
 * credentials, and the control API. Records what the storefronts learn along the way, and reads the final state when
 * everything is at rest.
 */
import { randomUUID } from 'node:crypto';
import { type Answer, type Json, Till } from '../../till.ts';
import { putSecret } from '../accounts.ts';
import type { World } from '../world.ts';
import {
  ACTS_END,
  DAY,
  END,
  FAULTS_END,
  HOUR,
  LATE_FAULTS_END,
  type MerchantScenario,
  type OperatorAct,
  type OrderStory,
  type SaleStory,
  type Scenario,
  type TimedFault,
} from './scenario.ts';

export interface Played {
  readonly scenario: Scenario;
  /** The merchant ids by the index that the scenario uses. */
  readonly merchants: readonly string[];
  readonly beganMs: number;
  readonly endedMs: number;
  readonly resources: ReadonlyMap<string, Resource>;
  /** Resources that are still open and should not be. */
  readonly slow: readonly string[];
  readonly ledger: readonly Json[];
  readonly requests: readonly Json[];
  readonly events: readonly Json[];
  readonly items: readonly Json[];
  /** The keys of the tokens table. */
  readonly tokens: ReadonlySet<string>;
  /** Error lines of the last hours, when everything should be at rest. */
  readonly errors: readonly Json[];
  /** Answers to storefronts that no API should give. */
  readonly oddAnswers: readonly string[];
}

export interface Resource {
  readonly kind: 'sale' | 'charge' | 'rf-order';
  readonly id: string;
  readonly merchantId: string;
  /** Each change, with the time at which it was seen. */
  readonly views: { readonly atMs: number; readonly body: Json }[];
  /** The resource by its id at rest, with its timeline. */
  atRest: Json;
  /** Accepted capture requests by their id. */
  readonly captures: Map<string, { readonly amount: number; readonly isvAmount: number | undefined }>;
  readonly asked: Json;
  /** Of a sale. */
  story?: SaleStory;
  /** When the API accepted an abort of the sale. */
  abortedMs?: number;
}

/** Time after the end of the faults. */
const SALES_OVER = 20 * 60;
const CHARGES_OVER = 45 * 60;
const READ_TIMES = [
  ...[2, 5, 10, 20, 40, 60, 90, 120, 180, 240, 300, 420, 600, 800, 1_200],
  ...[1_502, 1_510, 1_530, 1_560, 1_620, 1_700, 1_800, 2_400, 3_000, 3_900, 4_500],
  ...[
    FAULTS_END,
    FAULTS_END + 600,
    3 * HOUR,
    6 * HOUR,
    12 * HOUR,
    DAY,
    1.5 * DAY,
    2 * DAY,
    3 * DAY,
    4 * DAY,
    5 * DAY,
    5.2 * DAY,
    6 * DAY,
  ],
];
const PATHS = { sale: '/sales', charge: '/charges', 'rf-order': '/rf-orders' } as const;

const FORGED_TYPES = [1796, 1797, 1798, 1799, 1802, 2054];
const FORGED_TRANSACTION = 'f0f0f0f0-0000-4000-8000-000000000000';

export async function play(scenario: Scenario, world: World): Promise<Played> {
  const { ready } = world;
  const tills = ready.merchants.map(({ mode }, index) => {
    const ofMode = ready.merchants.filter((one) => one.mode === mode);
    return new Till(mode, ofMode.indexOf(ready.merchants[index]!), ready);
  });
  return new Game(scenario, tills, world).play();
}

class Game {
  readonly #scenario: Scenario;
  readonly #world: World;
  readonly #tills: readonly Till[];
  readonly #control: Till;
  /** When the acts that are still to come begin, in seconds. */
  readonly #ahead: number[] = [];
  readonly #running: Promise<unknown>[] = [];
  #reading: Promise<void> = Promise.resolve();
  readonly #resources = new Map<string, Resource>();
  readonly #slow: string[] = [];
  readonly #odd: string[] = [];
  readonly #webhookFaults: string[] = [];
  /** The resources as last read, by the item's key. */
  readonly #revisions = new Map<string, number>();
  #beganMs = 0;
  #lastQuietLine = 0;

  constructor(scenario: Scenario, tills: readonly Till[], world: World) {
    this.#world = world;
    this.#scenario = scenario;
    this.#tills = tills;
    this.#control = tills[0]!;
  }

  async play(): Promise<Played> {
    await this.#control.control('PATCH', '/_sim/switches', this.#scenario.switches);
    this.#beganMs = this.#nowMs();
    this.#plan();
    await this.#live();
    return this.#atRest();
  }

  #plan(): void {
    const { kills, cloud, merchants } = this.#scenario;
    this.#world.striker.arm(cloud, this.#beganMs);
    this.#world.tables.indexLagMs = () => cloud.indexLagMs;
    for (const act of cloud.acts) {
      this.#at(act.at, () => this.#operate(act));
    }
    for (const { at, functionName, ...fault } of kills) {
      this.#at(at, () => this.#control.control('POST', `/_cloud/functions/${functionName}/faults`, fault));
    }
    for (const merchant of merchants) {
      const till = this.#tills[merchant.merchant]!;
      this.#planMerchant(merchant, till);
    }
    for (const at of READ_TIMES) {
      this.#at(at, () => this.#readChanges());
    }
    this.#at(FAULTS_END, () => {
      this.#world.host.clearFaults();
      return this.#stopFaults(false);
    });
    this.#at(LATE_FAULTS_END, async () => this.#world.host.clearFaults());
    this.#at(FAULTS_END + SALES_OVER, () => this.#noneIsOpen('sale'));
    this.#at(FAULTS_END + CHARGES_OVER, () => this.#noneIsOpen('charge'));
    this.#at(ACTS_END, () => this.#stopFaults(true));
    this.#at(END - 12 * HOUR, async () => {
      this.#lastQuietLine = this.#world.logs.after(0).at(-1)?.seq ?? 0;
    });
    this.#at(END, async () => {});
  }

  async #operate({ act, merchant, set, right, graceSeconds, storedAfter }: OperatorAct): Promise<void> {
    const { merchantId, webhookUrl, country } = this.#tills[merchant]!.merchant;
    const rights = (allowed: boolean) =>
      this.#control.control('PATCH', `/_sim/accounts/${merchantId}`, { [right]: allowed });
    switch (act) {
      case 'deploy':
        return this.#world.host.deploy();
      case 'revoke':
        return this.#control.control('POST', '/_sim/tokens/revoke', {
          merchantId,
          credentialSet: set === 'apiKey' ? 'pos' : set,
        });
      case 'forge':
        return this.#forge(webhookUrl);
      case 'lose':
        return this.#world.tables.lose(this.#world.tokensTable, /^(access|webhook-key)#/);
      case 'forbid':
        await rights(false);
        this.#at(this.#secondsIn() + graceSeconds + 30, () => rights(right !== 'rf' || country === 'GR'));
        return;
      case 'rotate': {
        await this.#control.control('POST', `/_sim/accounts/${merchantId}/credentials/${set}/rotate`, { graceSeconds });
        const at = this.#secondsIn();
        this.#at(at + storedAfter, async () => putSecret(this.#world, merchantId));
      }
    }
  }

  /** Webhooks as the platform could send them about what we have, with contents that are not true. */
  async #forge(webhookUrl: string): Promise<void> {
    for (const [index, { id, kind }] of [...this.#resources.values()].entries()) {
      const EventData = {
        MerchantTrns: id,
        TransactionId: FORGED_TRANSACTION,
        StatusId: 'F',
        Amount: 15,
        ...(kind === 'sale' && { SessionId: id }),
      };
      await this.#world.fetch(webhookUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          EventTypeId: FORGED_TYPES[index % FORGED_TYPES.length],
          MessageId: randomUUID(),
          EventData,
        }),
      });
    }
  }

  #planMerchant({ faults, sales, orders }: MerchantScenario, till: Till): void {
    for (const fault of faults) {
      this.#at(fault.from, () => this.#strike(fault, till));
    }
    for (const sale of sales) {
      this.#at(sale.at, () => this.#sell(sale, till));
    }
    for (const order of orders) {
      this.#at(order.at, () => this.#order(order, till));
    }
  }

  /** Storefronts, payers and operators do not wait for each other. */
  #at(at: number, work: () => Promise<unknown>): void {
    const later = this.#ahead.findIndex((one) => one > at);
    this.#ahead.splice(later < 0 ? this.#ahead.length : later, 0, at);
    const { clock } = this.#world;
    clock.schedule(this.#beganMs + at * 1000 - clock.now(), () => {
      this.#ahead.splice(this.#ahead.indexOf(at), 1);
      const running = work();
      running.catch(() => {}); // #live throws it
      this.#running.push(running);
    });
  }

  async #live(): Promise<void> {
    const { clock } = this.#world;
    clock.quietUntilMs = () => this.#beganMs + (this.#ahead[0] ?? END) * 1000;
    await clock.advance(this.#beganMs + END * 1000);
    for (let work = this.#running.shift(); work !== undefined; work = this.#running.shift()) {
      await work;
    }
    clock.quietUntilMs = undefined;
  }

  #wait(seconds: number): Promise<void> {
    const { clock } = this.#world;
    return clock.until(clock.sleep(seconds * 1000));
  }

  #nowMs(): number {
    return this.#world.clock.now();
  }

  #secondsIn(): number {
    return (this.#nowMs() - this.#beganMs) / 1000;
  }

  async #strike({ from: _, until, match, ...fault }: TimedFault, till: Till): Promise<void> {
    const body = { ...fault, match: { ...match, merchantId: till.merchant.merchantId } };
    const { faultId } = await till.control('POST', '/_sim/faults', body);
    if (fault.name.endsWith('_webhook')) {
      this.#webhookFaults.push(faultId);
    }
    this.#at(until, () => this.#remove(faultId));
  }

  async #stopFaults(ofWebhooks: boolean): Promise<void> {
    const { faults } = await this.#control.control('GET', '/_sim/faults');
    for (const { faultId } of faults) {
      if (ofWebhooks || !this.#webhookFaults.includes(faultId)) {
        await this.#remove(faultId);
      }
    }
  }

  async #remove(faultId: string): Promise<void> {
    await this.#control.control('DELETE', `/_sim/faults/${faultId}`).catch(() => {});
  }

  async #sell(story: SaleStory, till: Till): Promise<void> {
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
    this.#keep('sale', saleId, till, body).story = story;
    const start = this.#secondsIn();
    if (hand !== undefined) {
      const { after, ...act } = hand;
      this.#at(start + after, () => this.#hand(terminalId, saleId, act, 25));
    }
    if (abortAfter !== undefined) {
      this.#at(start + abortAfter, () => this.#abort(saleId, till));
    }
    if (made !== undefined) {
      const resource = this.#keep('charge', made.chargeId, till, additionalCharge);
      for (const { after, ...capture } of captures) {
        this.#at(start + after, () => this.#capture(resource, capture, till, story.impatient));
      }
    }
    for (const { after, forgetAfter } of story.stored) {
      this.#at(start + after, () => this.#storeCard(saleId, till, forgetAfter));
    }
    for (const { of, after, part } of story.givenBack) {
      const id = of === 'sale' ? saleId : made?.chargeId;
      this.#at(start + after, () => this.#giveBack(id, part, till));
    }
  }

  /** Lets the payer act once the terminal asks; until then the payer waits. */
  async #hand(terminalId: string, saleId: string, act: object, patience: number): Promise<void> {
    const { terminals } = await this.#control.control('GET', '/_sim/terminals');
    const open = terminals.find((one: Json) => one.terminalId === terminalId)?.openSessionId;
    if (open === saleId) {
      await this.#control.control('POST', `/_sim/terminals/${terminalId}/actions`, act).catch(() => {});
    } else if (patience > 0) {
      this.#at(this.#secondsIn() + 3, () => this.#hand(terminalId, saleId, act, patience - 1));
    }
  }

  async #abort(saleId: string, till: Till): Promise<void> {
    const { status } = await till.api('POST', `/sales/${saleId}/abort`);
    if (status === 202) {
      this.#resources.get(saleId)!.abortedMs ??= this.#world.clock.now();
    }
  }

  /** Stores the card of the sale, and makes it forgotten. */
  async #storeCard(saleId: string, till: Till, forgetAfter: number): Promise<void> {
    const { transactionId, card } = await this.#read(till, `/sales/${saleId}`);
    const { merchantId } = till.merchant;
    const stored =
      transactionId && card === undefined
        ? await this.#insist(till, '/cards', { merchantId, transactionId }, false)
        : undefined;
    const cardId = stored?.body?.cardId ?? card?.cardId;
    if (cardId !== undefined) {
      this.#at(this.#secondsIn() + forgetAfter, () => till.api('DELETE', `/cards/${cardId}`));
    }
  }

  async #capture(
    resource: Resource,
    body: { readonly amount: number; readonly isvAmount?: number },
    till: Till,
    impatient: boolean,
  ): Promise<void> {
    const answer = await this.#insist(till, `/charges/${resource.id}/capture`, body, impatient);
    if (answer.status === 202) {
      const { captureId } = answer.body.captures.at(-1);
      resource.captures.set(captureId, { amount: body.amount, isvAmount: body.isvAmount });
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

  async #order(story: OrderStory, till: Till): Promise<void> {
    const { merchantId } = till.merchant;
    const { amount, disableExactAmount, expiresInSeconds } = story;
    const customer = { email: 'payer@PAYERDATA.example', fullname: 'PAYERDATA Payer' };
    const body = { merchantId, amount, currency: 'EUR', disableExactAmount, expiresInSeconds, customer };
    const answer = await this.#insist(till, '/rf-orders', body, false); // An order that is being created has several answers.
    const id = answer.body?.rfOrderId;
    if (id === undefined) {
      return;
    }
    this.#keep('rf-order', id, till, body);
    const start = this.#secondsIn();
    for (const payment of story.payments) {
      this.#at(start + payment.after, () => this.#transfer(id, payment, start, till));
    }
    if (story.cancelAfter !== undefined) {
      this.#at(start + story.cancelAfter, () => till.api('DELETE', `/rf-orders/${id}`));
    }
  }

  async #transfer(id: string, payment: OrderStory['payments'][number], start: number, till: Till): Promise<void> {
    const { rfCode } = await this.#read(till, `/rf-orders/${id}`);
    const body = { rfCode, amount: payment.amount };
    const done = rfCode && (await till.control('POST', '/_sim/bank/transfers', body).catch(() => undefined));
    if (done && payment.returnedAfter !== undefined) {
      this.#at(start + payment.returnedAfter, () =>
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
      await this.#wait(4);
      answer = await send();
    }
    if (twice && answer.status < 300) {
      this.#at(this.#secondsIn() + 1_800, async () => {
        const later = await send();
        this.#areOne(path, mayBeRepeated(later) ? [answer] : [answer, later]);
        const other = await till.api('POST', path, { ...body, amount: (body as Json).amount + 1 }, { key });
        if (!mayBeRepeated(other) && other.body?.code !== 'IDEMPOTENCY_KEY_REUSED') {
          this.#odd.push(`POST ${path} with the key of another body answered ${other.status}`);
        }
      });
    }
    const isKnown =
      KNOWN_REFUSALS.includes(answer.body?.code) || (till.merchant.mode === 'isv' && leavesShareOpen(body));
    if (answer.status >= 400 && !isKnown) {
      this.#odd.push(`POST ${path} answered ${answer.status} ${answer.text.slice(0, 300)}`);
    }
    return answer;
  }

  /** Requests with one key get one answer, byte for byte, and so make one resource. */
  #areOne(path: string, answers: readonly Answer[]): void {
    const accepted = answers.filter(({ status }) => status < 300);
    if (new Set(accepted.map(({ text }) => text)).size > 1) {
      this.#odd.push(
        `POST ${path} with one key was answered ${accepted.map(({ text }) => text.slice(0, 120)).join(' and ')}`,
      );
    }
  }

  /** A read is repeated until it is answered. */
  async #read(till: Till, path: string): Promise<Json> {
    for (;;) {
      const answer = await till.api('GET', path);
      if (answer.status === 200) {
        return answer.body;
      }
      if (!mayBeRepeated(answer)) {
        this.#odd.push(`GET ${path} answered ${answer.status} ${answer.text.slice(0, 300)}`);
        return answer.body;
      }
      await this.#wait(2);
    }
  }

  #items(): Json[] {
    return [...this.#world.tables.itemsOf(this.#world.paymentsTable).values()];
  }

  #keep(kind: Resource['kind'], id: string, till: Till, asked: Json): Resource {
    const { merchantId } = till.merchant;
    const resource = { kind, id, merchantId, views: [], atRest: undefined, captures: new Map(), asked };
    const known = this.#resources.get(id);
    this.#resources.set(id, known === undefined ? resource : { ...known, asked });
    return this.#resources.get(id)!;
  }

  /** Reads what changed, including resources that no storefront got an answer about. */
  #readChanges(): Promise<void> {
    this.#reading = this.#reading.then(() => this.#readChangesNow());
    return this.#reading;
  }

  async #readChangesNow(): Promise<void> {
    for (const { pk, status, revision, merchantId } of this.#items()) {
      const [kind, id] = pk.split('#');
      const till = this.#tills.find(({ merchant }) => merchant.merchantId === merchantId);
      if (!isKind(kind) || status === undefined || till === undefined || this.#revisions.get(pk) === revision) {
        continue;
      }
      this.#revisions.set(pk, revision);
      const { timeline: _, ...body } = await this.#read(till, `${PATHS[kind]}/${id}`);
      write(this.#resources.get(id) ?? this.#keep(kind, id, till, undefined), this.#nowMs(), body);
    }
  }

  async #noneIsOpen(kind: 'sale' | 'charge'): Promise<void> {
    await this.#readChanges();
    for (const resource of this.#resources.values()) {
      const { status, captures = [] } = resource.views.at(-1)?.body ?? {};
      const since = this.#nowMs() - CHARGES_OVER * 1000;
      const stored = this.#items().find(({ pk }) => pk === `charge#${resource.id}`);
      const isOld = ({ requestedAt }: Json) => Date.parse(requestedAt) <= since;
      const isOpen = ({ status: of, captureId }: Json) =>
        ['pending', 'unknown'].includes(of) &&
        stored.captures.filter(isOld).some((one: Json) => one.captureId === captureId);
      const pending = captures.some(isOpen);
      if (resource.kind === kind && (OPEN[kind].includes(status) || pending)) {
        this.#slow.push(`${kind} ${resource.id} is ${status}${pending ? ' with a capture open' : ''}`);
      }
    }
  }

  async #atRest(): Promise<Played> {
    await this.#readChanges();
    for (const resource of this.#resources.values()) {
      const till = this.#tills.find(({ merchant }) => merchant.merchantId === resource.merchantId)!;
      const { timeline, ...body } = await this.#read(till, `${PATHS[resource.kind]}/${resource.id}`);
      resource.atRest = { ...body, timeline };
      write(resource, this.#nowMs(), body);
    }
    const { platform, buses, logs } = this.#world;
    return {
      scenario: this.#scenario,
      merchants: this.#tills.map(({ merchant }) => merchant.merchantId),
      beganMs: this.#beganMs,
      endedMs: this.#nowMs(),
      resources: this.#resources,
      slow: this.#slow,
      ledger: platform.sim.books.ledger.entries({}),
      requests: platform.sim.requests.list(),
      events: buses.recorded.entries.map(({ detail }: Json) => detail),
      items: this.#items(),
      tokens: new Set(this.#world.tables.itemsOf(this.#world.tokensTable).keys()),
      errors: logs.after(this.#lastQuietLine).filter(isError),
      oddAnswers: this.#odd,
    };
  }
}

const OPEN: Readonly<Record<'sale' | 'charge', readonly string[]>> = {
  sale: ['created', 'awaiting_card', 'unconfirmed'],
  charge: ['created', 'processing', 'requires_authentication'],
};

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

function mayBeRepeated({ status, body }: Answer): boolean {
  return (status >= 500 && body?.rfOrderId === undefined) || status === 429 || body?.code === 'RF_ORDER_IN_PROGRESS';
}

function isKind(kind: string): kind is Resource['kind'] {
  return Object.hasOwn(PATHS, kind);
}

/** The authorizer answers 401 by an error. */
function isError({ functionName, message }: Json): boolean {
  return (message?.level === 'ERROR' || message?.errorType !== undefined) && !functionName.endsWith('authorizer');
}

function write({ views }: Resource, atMs: number, { updatedAt: _, ...body }: Json): void {
  if (JSON.stringify(views.at(-1)?.body) !== JSON.stringify(body)) {
    views.push({ atMs, body });
  }
}
