/**
 * A scenario, drawn from a seed and nothing else: what the payers of four merchants, their storefronts, the merchants
 * in the platform's portal, and a faulty world do during some days. It is JSON. All times are seconds from its start.
 */
import { SWITCHES } from '../../../sandbox/viva/switches.ts';
import { chance, type Draw, draw, numberIn, pick, seedOf } from './draw.ts';

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

export const HOUR = 3_600;
export const DAY = 24 * HOUR;
/** Faults stop here, except those of webhooks: they stop after the last act of the merchants. */
export const FAULTS_END = 1.5 * HOUR;
export const ACTS_END = 2.2 * DAY;
/** A hold lasts five days. */
export const END = 6.5 * DAY;
const HOLD_ENDS = 5 * DAY;
/** When most holds end: what releases them meets faults as well. */
const LATE = HOLD_ENDS - 300;
export const LATE_FAULTS_END = LATE + HOUR;
const ROUNDS = [0, 1_500];

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

function endOf(from: number, seconds: number): number {
  return from === LATE ? from + seconds : Math.min(from + seconds, FAULTS_END);
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
  return { merchant, faults: [...faultsOf(random, isv), ...webhookFaultsOf(random)], sales: sells, orders };
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

const BEFORE = ['refused', 'server_error_before', 'too_many_requests', 'unauthorized_once'];
const AFTER = ['server_error_after', 'answer_lost', 'malformed_200', 'slow'];
const MOVING = [...BEFORE, ...AFTER, 'late_commit', 'late_commit', 'answer_lost'];
const LIES = [
  'transaction_failed',
  'transaction_failed',
  'transaction_pending',
  'transaction_disputed',
  'record_unreadable',
  'wrong_amount',
  'wrong_currency',
  'wrong_merchant',
];

/** Every fault of the platform's requests that a scenario may have. */
export const PLATFORM_FAULTS: readonly string[] = [
  ...new Set([false, true].flatMap((isv) => spotsOf(isv).flatMap(({ names }) => names))),
];

/** Every request of both kinds of account with the faults that a scenario may draw for it. */
export const PLATFORM_SPOTS: readonly Pick<Spot, 'match' | 'names'>[] = [false, true].flatMap(spotsOf);

interface Spot {
  readonly match: TimedFault['match'];
  readonly names: readonly string[];
  /** A request that takes money. */
  readonly takes?: true;
}

function spotsOf(isv: boolean): readonly Spot[] {
  const native = isv ? '*/isv/transactions' : '*v2/transactions';
  const legacy = '/api/transactions/*';
  return [
    { match: { method: 'POST', path: 'transactions:sale' }, names: [...MOVING, 'ecr_busy'], takes: true },
    {
      match: { method: 'GET', path: '/sessions/' },
      names: [
        ...BEFORE,
        ...AFTER,
        'not_visible',
        'not_visible',
        'session_failed',
        'session_failed',
        'session_succeeded',
      ],
    },
    { match: { method: 'DELETE', path: '/sessions/' }, names: MOVING },
    { match: { method: 'GET', path: legacy }, names: [...BEFORE, ...AFTER, ...LIES, 'not_visible', 'child_missing'] },
    {
      match: { method: 'GET', path: '*/api/transactions' },
      names: [...BEFORE, ...AFTER, ...LIES, 'list_lag', 'list_lag', 'list_lag', 'record_missing', 'child_missing'],
    },
    { match: { method: 'POST', path: '/cards/tokens' }, names: MOVING },
    { match: { method: 'POST', path: 'chargetokens' }, names: MOVING },
    { match: { method: 'POST', path: native }, names: MOVING, takes: true },
    { match: { method: 'POST', path: isv ? legacy : '/nativecheckout/v2/transactions/*' }, names: MOVING, takes: true },
    { match: { method: 'DELETE', path: legacy }, names: MOVING },
    { match: { method: 'POST', path: '/orders' }, names: MOVING },
    { match: { method: 'POST', path: '/paymentsessions' }, names: [...MOVING, 'bad_rf_code'] },
    { match: { method: 'GET', path: '/api/orders/*' }, names: [...BEFORE, ...AFTER, 'not_visible', 'wrong_amount'] },
    { match: { method: 'DELETE', path: '/orders/' }, names: MOVING },
    {
      match: { path: '/connect/token' },
      names: ['token_endpoint_error', 'answer_lost', 'server_error_before', 'slow'],
    },
  ];
}

function faultsOf(random: Draw, isv: boolean): TimedFault[] {
  const spots = spotsOf(isv);
  const plot = chance(random, 0.3) ? plotOf(random, isv) : [];
  const others = Array.from({ length: pick(random, plot.length > 0 ? [0, 0, 0, 2, 6] : [0, 2, 4, 6, 8]) }, () => {
    const { match, names } = pick(random, spots);
    const name = pick(random, names);
    const from = pick(random, [...ROUNDS, ...ROUNDS, LATE]);
    return {
      from,
      until: endOf(from, pick(random, [12, 60, 600, HOUR, HOUR])),
      name,
      match,
      times: pick(random, [1, 1, 1, 2, 3, null]),
      skip: pick(random, [0, 0, 0, 1, 2]),
      ...detailsOf(random, name),
    };
  });
  return [...plot, ...others];
}

/** Faults that can mislead only together. */
function plotOf(random: Draw, isv: boolean): TimedFault[] {
  const spots = spotsOf(isv);
  const of = pick(random, ['dark', 'misread', 'late'] as const);
  const asked = spots.filter(({ takes, names }) => (of === 'misread' ? names.includes('late_commit') : takes));
  const lost = pick(random, ['answer_lost', 'server_error_after', 'late_commit', 'malformed_200', 'refused']);
  const whole = { from: 0, until: FAULTS_END, times: 1, skip: 0 };
  const { match: request } = pick(random, asked);
  const unknown = { ...whole, name: lost, match: request, ...detailsOf(random, lost) };
  switch (of) {
    case 'dark':
      return [unknown, ...darkness(pick(random, [1_900, 2_400, 3_400]), chance(random, 0.5))];
    case 'misread': {
      const name = pick(random, [
        ...['record_missing', 'not_visible', 'transaction_failed', 'wrong_amount', 'child_missing'],
      ]);
      const { match } = pick(
        random,
        spots.filter(({ names }) => names.includes('transaction_failed')),
      );
      const times = pick(random, [1, 1, 2]);
      const skip = numberIn(random, 0, 12);
      return [unknown, { ...whole, name, match, times, skip, ...detailsOf(random, name) }];
    }
    case 'late':
      return latePayments(random, request);
  }
}

/**
 * No readings and no webhooks until then. After that one reading shows nothing, or the webhooks come while all readings
 * of three minutes show nothing.
 */
function darkness(until: number, webhooksCome: boolean): TimedFault[] {
  const ofList = { method: 'GET', path: '*/api/transactions' };
  const webhooks = { from: 0, until: FAULTS_END, match: {}, times: null, skip: 0 };
  const nothing = { from: until, name: 'record_missing', match: ofList, skip: 0 };
  return [
    { from: 0, until, name: 'server_error_before', match: ofList, times: null, skip: 0 },
    ...(webhooksCome
      ? [
          { ...nothing, until: until + 180, times: null },
          { ...webhooks, name: 'delayed_webhook', delaySeconds: until + 10 },
        ]
      : [
          { ...nothing, until: FAULTS_END, times: 1 },
          { ...webhooks, name: 'lost_webhook' },
        ]),
  ];
}

/** Requests without an answer that the platform processes as late as it ever does, and readings that are all right. */
function latePayments(random: Draw, match: TimedFault['match']): TimedFault[] {
  return [0, 1].map((skip) => ({
    from: 0,
    until: FAULTS_END,
    name: 'late_commit',
    match,
    times: 1,
    skip,
    delaySeconds: pick(random, [300, 420, 560, 900]),
  }));
}

function detailsOf(random: Draw, name: string): Partial<TimedFault> {
  switch (name) {
    case 'late_commit':
      return { delaySeconds: pick(random, [5, 60, 300, 420, 560, 900]) };
    case 'slow':
      return { delaySeconds: pick(random, [3, 12, 30]) };
    case 'list_lag':
      return { delaySeconds: pick(random, [30, 60, 119]), times: null };
    case 'session_failed':
      return { eventId: pick(random, [1_000, 1_003, 1_006, 1_099, 3_002]) };
    case 'transaction_disputed':
      return { statusId: pick(random, ['M', 'MA', 'MI', 'MW', 'MS']) };
    default:
      return {};
  }
}

/** For all types of webhooks, or for one. The platform keeps its promise to redeliver what is only late. */
function webhookFaultsOf(random: Draw): TimedFault[] {
  return Array.from({ length: pick(random, [0, 1, 1, 2]) }, () => {
    const name = pick(random, [
      'lost_webhook',
      'lost_webhook',
      'lost_webhook',
      'delayed_webhook',
      'duplicate_webhook',
      'early_webhook',
      'reordered_webhook',
    ]);
    const type = pick(random, ['', '', '/1796', '/1797', '/1799', '/1802', '/1803', '/2054']);
    const delaySeconds = pick(random, [10, 600, HOUR, 12 * HOUR]);
    return {
      from: 0,
      until: pick(random, [HOUR, ACTS_END]),
      name,
      match: type === '' ? {} : { path: `*${type}` },
      times: null,
      skip: 0,
      ...(['delayed_webhook', 'duplicate_webhook'].includes(name) && { delaySeconds }),
    };
  });
}
