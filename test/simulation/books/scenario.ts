/**
 * A scenario, drawn from a seed and nothing else: what the payers of four merchants, their storefronts, the merchants
 * in the platform's portal, and a faulty world do during some days. It is JSON. All times are seconds from its start.
 */
import { SWITCHES } from '../../../sandbox/viva/switches.ts';
import { chance, type Draw, draw, numberIn, pick, seedOf } from './draw.ts';
import { platformFaultsOf, webhookFaultsOf } from './platform-faults.ts';
import { DAY, endOf, HOLD_ENDS, HOUR, LATE, ROUNDS } from './times.ts';

export interface Scenario {
  readonly seed: number;
  readonly switches: Readonly<Record<string, string | number>>;
  readonly kills: readonly Kill[];
  readonly cloud: CloudScenario;
  readonly merchants: readonly MerchantScenario[];
}

export interface Kill {
  readonly at: number;
  readonly functionName: string;
  readonly kind: 'kill' | 'timeout' | 'throttle';
  readonly afterCall: number;
  readonly times: number;
}

/** What AWS does to the functions, and the operator to all. */
export interface CloudScenario {
  /** An index shows a write so many milliseconds later. */
  readonly indexLagMs: number;
  /** The longest time that a call of a function takes. */
  readonly latencyMs: number;
  readonly faults: readonly CloudFault[];
  readonly acts: readonly OperatorAct[];
}

export interface CloudFault {
  readonly from: number;
  readonly until: number;
  /** A pattern: `table.Put`, `table.*`; or `invoke`: the invocation of the function. */
  readonly operation: string;
  /** Undefined: of every function. */
  readonly functionName?: string;
  readonly effect: 'before' | 'after' | 'twice' | 'slow';
  readonly probability: number;
}

export interface OperatorAct {
  readonly at: number;
  /** `forge`: somebody who knows the address posts webhooks that name our resources. `forbid`: a right is taken away for some time. `lose`: the stored access tokens are gone. */
  readonly act: 'deploy' | 'rotate' | 'revoke' | 'forge' | 'forbid' | 'lose';
  readonly merchant: number;
  /** Of a rotation: how long the old secret still works, and when the new one is stored. */
  readonly graceSeconds: number;
  readonly storedAfter: number;
  readonly set: 'pos' | 'smartCheckout' | 'native' | 'apiKey';
  readonly right: 'tokenizationRole' | 'nativeCheckout' | 'allowRefunds' | 'allowCaptures' | 'rf';
}

export interface MerchantScenario {
  /** Which of the sandbox's accounts: two merchants of their own, then two of the ISV. */
  readonly merchant: number;
  readonly faults: readonly TimedFault[];
  readonly sales: readonly SaleStory[];
  readonly orders: readonly OrderStory[];
}

export interface TimedFault {
  readonly from: number;
  readonly until: number;
  readonly name: string;
  readonly match: { readonly method?: string; readonly path?: string };
  readonly times: number | null;
  readonly skip: number;
  readonly delaySeconds?: number;
  readonly statusId?: string;
  readonly eventId?: number;
}

export interface SaleStory {
  readonly at: number;
  readonly terminal: 0 | 1;
  readonly mode: 'auto' | 'manual' | 'offline' | 'busy';
  readonly card: string;
  /** What the payer does at a manual terminal, so many seconds after the sale was requested. */
  readonly hand?: {
    readonly after: number;
    readonly action: string;
    /** The issuer approves this amount instead. */
    readonly amount?: number;
    readonly eventId?: number;
    readonly delaySeconds?: number;
  };
  readonly amount: number;
  readonly tokenize: boolean;
  readonly charge?: ChargeStory;
  readonly abortAfter?: number;
  /** The storefront sends every request twice. */
  readonly impatient: boolean;
  readonly givenBack: readonly GivenBack[];
  /** The storefront has the card of the sale stored, if the sale did not, and deletes it. */
  readonly stored: readonly { readonly after: number; readonly forgetAfter: number }[];
}

export interface ChargeStory {
  readonly amount: number;
  readonly isvAmount?: number;
  readonly preauth?: true;
  readonly capture?: 'immediate' | 'manual';
  readonly captureAmount?: number;
  readonly captureIsvAmount?: number;
  /** Of a manual capture. */
  readonly captures: readonly { readonly after: number; readonly amount: number; readonly isvAmount?: number }[];
}

/** In the platform's portal, by the merchant; `part` is the fraction of what is there, 1 for all. */
interface GivenBack {
  readonly of: 'sale' | 'charge';
  readonly after: number;
  readonly part: number;
}

export interface OrderStory {
  readonly at: number;
  readonly amount: number;
  readonly disableExactAmount: boolean;
  readonly expiresInSeconds: number | null;
  readonly payments: readonly { readonly after: number; readonly amount: number; readonly returnedAfter?: number }[];
  readonly cancelAfter?: number;
}

export function scenarioOf(seed: number): Scenario {
  const random = draw(seed);
  const merchants = someOf(random, [0, 1, 2, 3]);
  const drawn = {
    seed,
    switches: switchesOf(random),
    kills: killsOf(random),
    cloud: cloudOf(draw(seedOf(seed, 1_000)), merchants),
    merchants: merchants.map((merchant) => merchantOf(draw(seedOf(seed, merchant)), merchant)),
  };
  return chance(draw(seedOf(seed, 2_000)), 0.1) ? calmed(drawn) : drawn;
}

/** Nothing goes wrong, or only what the functions have to bear: what was approved has to succeed. */
export function isCalm({ switches, kills, cloud, merchants }: Scenario): boolean {
  const faults = cloud.faults.filter(({ effect, operation }) => effect !== 'twice' || operation !== REPEATED.operation);
  const troubles = [Object.keys(switches), kills, faults, cloud.acts, ...merchants.map((one) => one.faults)];
  return troubles.every(({ length }) => length === 0);
}

/** The SDK repeats a write whose answer it did not get. */
const REPEATED = { from: 0, until: 2 * HOUR, operation: 'table.Put', effect: 'twice', probability: 0.3 } as const;

function calmed(scenario: Scenario): Scenario {
  const faults = scenario.cloud.faults.length > 0 ? [REPEATED] : [];
  const merchants = scenario.merchants.map((merchant) => ({ ...merchant, faults: [] }));
  return {
    ...scenario,
    switches: {},
    kills: [],
    cloud: { indexLagMs: 0, latencyMs: 8, faults, acts: [] },
    merchants,
  };
}

/** Mostly one: a small world is played sooner, and what goes wrong in it is easier to find. */
function someOf<T>(random: Draw, all: readonly T[]): readonly T[] {
  const some = chance(random, 0.7) ? [] : all.filter(() => chance(random, 0.6));
  return some.length > 0 ? some : [pick(random, all)];
}

/** Every value of every switch of the simulator that is not its first one. */
export const DRAWN_SWITCHES: readonly (readonly [string, string | number])[] = Object.entries(SWITCHES).flatMap(
  ([name, { values }]) => values.slice(1).map((value) => [name, value] as const),
);

function switchesOf(random: Draw): Scenario['switches'] {
  const share = pick(random, [0, 0.05, 0.2]);
  return Object.fromEntries(DRAWN_SWITCHES.filter(() => chance(random, share)));
}

export const FUNCTIONS = [
  'create-sale',
  'send-sale-request',
  'await-terminal',
  'retrieve-transaction',
  'create-card-token',
  'create-charge-token',
  'create-transaction',
  'reconcile-charge',
  'await-capture',
  'capture',
  'void',
  'record-failure',
  'request-capture',
  'abort-sale',
  'create-rf-order',
  'cancel-rf-order',
  'receive-webhook',
  'act-on-webhook',
  'reconcile-due',
  'handle-execution-end',
  'find-due',
  'deliver-event',
  'read-daily-lists',
  'read-resource',
];

/** What runs when holds end. */
const LATE_FUNCTIONS = [
  'void',
  'void',
  'await-capture',
  'reconcile-due',
  'find-due',
  'act-on-webhook',
  'record-failure',
];

function killsOf(random: Draw): Kill[] {
  return Array.from({ length: numberIn(random, 0, 6) }, () => {
    const at = pick(random, [0, 1_000, 1_500, 3_000, LATE]);
    return {
      at,
      functionName: pick(random, at === LATE ? LATE_FUNCTIONS : FUNCTIONS),
      kind: pick(random, ['kill', 'kill', 'kill', 'timeout', 'throttle'] as const),
      afterCall: numberIn(random, 0, 9),
      times: numberIn(random, 1, 2),
    };
  });
}

const OPERATIONS = [
  'table.Put',
  'table.Put',
  'table.Get',
  'table.Query',
  'table.*',
  'states.*',
  'lambda.*',
  'events.*',
  'callback.post',
];

function cloudOf(random: Draw, merchants: readonly number[]): CloudScenario {
  const calm = chance(random, 0.3);
  return {
    indexLagMs: pick(random, [0, 0, 500, 5_000]),
    latencyMs: pick(random, [8, 8, 80, 400]),
    faults: calm ? [] : Array.from({ length: numberIn(random, 0, 4) }, () => cloudFaultOf(random)),
    acts: Array.from({ length: pick(random, [0, 0, 1, 2, 4]) }, () => operatorActOf(random, merchants)),
  };
}

function cloudFaultOf(random: Draw): CloudFault {
  const from = pick(random, [...ROUNDS, ...ROUNDS, LATE]);
  const invocation = chance(random, 0.2);
  return {
    from,
    until: endOf(from, pick(random, [30, 300, HOUR])),
    operation: invocation ? 'invoke' : pick(random, [...OPERATIONS, 'secrets.*']),
    ...(chance(random, 0.5) && { functionName: pick(random, FUNCTIONS) }),
    effect: pick(
      random,
      invocation ? (['before', 'after', 'twice'] as const) : (['before', 'after', 'after', 'twice', 'slow'] as const),
    ),
    probability: pick(random, [0.02, 0.1, 0.3, 0.7]),
  };
}

function operatorActOf(random: Draw, merchants: readonly number[]): OperatorAct {
  return {
    at: numberIn(random, 0, HOUR),
    act: pick(random, ['deploy', 'rotate', 'revoke', 'forge', 'forge', 'forbid', 'lose'] as const),
    merchant: pick(random, merchants),
    graceSeconds: pick(random, [0, 60, HOUR]),
    storedAfter: pick(random, [0, 0, 20, 120]),
    set: pick(random, ['pos', 'smartCheckout', 'native', 'apiKey'] as const),
    right: pick(random, ['tokenizationRole', 'nativeCheckout', 'allowRefunds', 'allowCaptures', 'rf'] as const),
  };
}

function merchantOf(random: Draw, merchant: number): MerchantScenario {
  const isv = merchant >= 2;
  const places = ROUNDS.flatMap((at) => ([0, 1] as const).map((terminal) => ({ at, terminal })));
  const sells = someOf(random, places)
    .map(({ at, terminal }) => saleOf(random, at, terminal, isv))
    .flatMap((sale) => (chance(random, 0.1) ? [sale, { ...sale, at: sale.at + numberIn(random, 0, 8) }] : [sale]));
  const orders = merchant === 3 ? [] : someOf(random, [orderOf(random), orderOf(random)]);
  const isPlotted = chance(random, 0.3);
  const faults = [...platformFaultsOf(random, isv, isPlotted), ...webhookFaultsOf(random)];
  return { merchant, faults, sales: isPlotted && chance(random, 0.5) ? [plainSaleOf(random, isv)] : sells, orders };
}

/** Only what the plot does to it makes it special. */
function plainSaleOf(random: Draw, isv: boolean): SaleStory {
  return {
    ...{ at: numberIn(random, 0, 20), terminal: 0, mode: 'auto', card: 'visa', amount: numberIn(random, 30, 9_000) },
    ...{ tokenize: true, charge: chargeOf(random, isv), impatient: false, givenBack: [], stored: [] },
  };
}

function saleOf(random: Draw, round: number, terminal: 0 | 1, isv: boolean): SaleStory {
  const tokenize = chance(random, 0.8);
  return {
    at: round + numberIn(random, 0, 20),
    terminal,
    ...handOf(random),
    card: chance(random, 0.8) ? 'visa' : pick(random, ['mastercard', 'wallet', 'no_expiry', 'declines_later']),
    amount: chance(random, 0.06) ? 9_951 : numberIn(random, 30, 9_000),
    tokenize,
    ...(tokenize && chance(random, 0.7) && { charge: chargeOf(random, isv) }),
    ...(chance(random, 0.1) && {
      abortAfter: chance(random, 0.7) ? numberIn(random, 0, 60) : numberIn(random, 175, 190),
    }),
    impatient: chance(random, 0.1),
    givenBack: [
      ...(chance(random, 0.15) ? [givenBackOf(random, 'sale')] : []),
      ...(chance(random, 0.15) ? [givenBackOf(random, 'charge')] : []),
    ],
    stored: chance(random, 0.15) ? [{ after: numberIn(random, 20, HOUR), forgetAfter: numberIn(random, 1, 600) }] : [],
  };
}

function handOf(random: Draw): Pick<SaleStory, 'mode' | 'hand'> {
  const what = numberIn(random, 1, 20);
  const after = numberIn(random, 3, 45);
  if (what <= 9) {
    return { mode: 'auto' };
  }
  if (what <= 11) {
    const other = chance(random, 0.1) && { amount: numberIn(random, 30, 9_000) };
    return { mode: 'manual', hand: { after, action: 'tap', ...other } };
  }
  if (what <= 15) {
    const delaySeconds = pick(random, [1, 1, 60, HOUR, DAY]);
    return { mode: 'manual', hand: { after, action: 'approve_then_reverse', delaySeconds } };
  }
  if (what <= 17) {
    const [action, eventId] = pick(random, [
      ['decline', 10_051],
      ['decline', 1_006],
      ['cancel', 1_000],
      ['remove_early', 1_007],
    ] as const);
    return { mode: 'manual', hand: { after, action, eventId } };
  }
  return { mode: pick(random, ['manual', 'offline', 'busy'] as const) };
}

function chargeOf(random: Draw, isv: boolean): ChargeStory {
  const amount = chance(random, 0.06) ? 9_951 : numberIn(random, 100, 9_000);
  const isvAmount = isv && chance(random, 0.6) ? numberIn(random, 1, Math.floor(amount / 4)) : undefined;
  const share = isvAmount !== undefined && { isvAmount };
  if (chance(random, 0.4)) {
    return { amount, ...share, captures: [] };
  }
  const part = chance(random, 0.5) ? amount : numberIn(random, 1, amount);
  const partShare = isv && chance(random, 0.6) ? numberIn(random, 0, Math.floor(part / 4)) : undefined;
  if (chance(random, 0.4)) {
    const asked = { captureAmount: part, ...(partShare !== undefined && { captureIsvAmount: partShare }) };
    return { amount, ...share, preauth: true, capture: 'immediate', ...asked, captures: [] };
  }
  const after = pick(random, [
    ...[numberIn(random, 30, HOUR), numberIn(random, 30, HOUR), numberIn(random, HOUR, 2 * DAY)],
    HOLD_ENDS + numberIn(random, -90, 120),
  ]);
  const partOfIsv = partShare !== undefined && { isvAmount: partShare };
  const tooMuch = chance(random, 0.08) && { amount: amount + numberIn(random, 1, 9) };
  const capture = { after, amount: part, ...partOfIsv, ...tooMuch };
  const another = { after: after + pick(random, [0, 0, 1, 60]), amount: numberIn(random, part, amount), ...partOfIsv };
  const captures = pick(random, [[capture], [capture], [capture], [capture, another], []]);
  return { amount, ...share, preauth: true, capture: 'manual', captures };
}

function givenBackOf(random: Draw, of: GivenBack['of']): GivenBack {
  const after = pick(random, [
    numberIn(random, 10, 300),
    numberIn(random, 300, 3 * HOUR),
    numberIn(random, 3 * HOUR, 2 * DAY),
  ]);
  return { of, after, part: pick(random, [1, 1, 0.5, 0.1]) };
}

function orderOf(random: Draw): OrderStory {
  const amount = numberIn(random, 30, 9_000);
  const open = chance(random, 0.5);
  const expiresInSeconds = pick(random, [60, 600, 2 * HOUR, DAY, 5 * DAY, null]);
  const end = expiresInSeconds ?? DAY;
  const sum = () => (open ? numberIn(random, 1, Math.ceil(amount * 1.5)) : amount);
  const when = () => {
    const early = numberIn(random, 10, end);
    return Math.min(
      pick(random, [early, early, end + numberIn(random, -30, 60), end + numberIn(random, 30, DAY)]),
      2 * DAY,
    );
  };
  const payments = Array.from({ length: pick(random, [0, 1, 1, 1, 1, 2, 2, 3]) }, () => {
    const after = when();
    const returnedAfter = after + numberIn(random, 30, 6 * HOUR);
    return { after, amount: sum(), ...(chance(random, 0.15) && { returnedAfter }) };
  });
  return {
    at: numberIn(random, 0, HOUR),
    amount,
    disableExactAmount: open,
    expiresInSeconds,
    payments,
    ...(chance(random, 0.15) && { cancelAfter: when() }),
  };
}
