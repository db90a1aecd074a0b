/** Draws what goes wrong between our functions and the platform: at single requests, or in plots of several faults. */
import { chance, type Draw, numberIn, pick } from './draw.ts';
import type { TimedFault } from './scenario.ts';
import { ACTS_END, endOf, FAULTS_END, HOUR, LATE, ROUNDS } from './times.ts';

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

/** Every request of both kinds of account with the faults that a scenario may draw for it. */
export const PLATFORM_SPOTS: readonly Pick<Spot, 'match' | 'names'>[] = [false, true].flatMap(spotsOf);

/** Every fault of the platform's requests that a scenario may have. */
export const PLATFORM_FAULTS: readonly string[] = [...new Set(PLATFORM_SPOTS.flatMap(({ names }) => names))];

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

export function platformFaultsOf(random: Draw, isv: boolean, isPlotted: boolean): TimedFault[] {
  const spots = spotsOf(isv);
  const plot = isPlotted ? plotOf(random, isv) : [];
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
  const of = pick(random, ['dark', 'dark', 'misread', 'late'] as const);
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
export function webhookFaultsOf(random: Draw): TimedFault[] {
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
