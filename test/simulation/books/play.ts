/**
 * Plays a scenario in a simulated world through the storefront API, the platform's own API with the merchants'
 * credentials, and the control API. Records what the storefronts learn along the way, and reads the final state when
 * everything is at rest.
 */
import { type Json, type Till, tillsOf } from '../../till.ts';
import type { World } from '../world.ts';
import { Agenda } from './agenda.ts';
import { ENDED_AFTER, Learned, type Resource } from './learned.ts';
import { operate } from './operator.ts';
import type { MerchantScenario, Scenario, TimedFault } from './scenario.ts';
import { Storefronts } from './storefronts.ts';
import { ACTS_END, DAY, END, FAULTS_END, HOUR, LATE_FAULTS_END } from './times.ts';

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
  /** The keys of the tokens that are stored and have not expired. */
  readonly tokens: ReadonlySet<string>;
  /** Error lines of the last hours, when everything should be at rest. */
  readonly errors: readonly Json[];
  /** Answers to storefronts that no API should give. */
  readonly oddAnswers: readonly string[];
}

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

export async function play(scenario: Scenario, world: World): Promise<Played> {
  const { ready, platform, buses, logs } = world;
  const tills = tillsOf(ready);
  await tills[0]!.control('PATCH', '/_sim/switches', scenario.switches);
  const agenda = new Agenda(world.clock);
  const learned = new Learned(world, agenda, tills);
  let lastQuietLine = 0;
  agenda.at(END - 12 * HOUR, async () => {
    lastQuietLine = logs.after(0).at(-1)?.seq ?? 0;
  });
  plan(scenario, world, agenda, learned, tills);
  await agenda.live(END);
  await learned.readAll();
  return {
    scenario,
    merchants: tills.map(({ merchant }) => merchant.merchantId),
    beganMs: agenda.beganMs,
    endedMs: world.clock.now(),
    resources: learned.resources,
    slow: learned.slow,
    ledger: platform.sim.books.ledger.entries({}),
    requests: platform.sim.requests.list(),
    events: buses.recorded.entries.map(({ detail }: Json) => detail),
    items: learned.items(),
    tokens: storedTokens(world),
    errors: logs.after(lastQuietLine).filter(isError),
    oddAnswers: learned.odd,
  };
}

function plan(
  { kills, cloud, merchants }: Scenario,
  world: World,
  agenda: Agenda,
  learned: Learned,
  tills: readonly Till[],
): void {
  const { host, tables, faults } = world;
  const control = tills[0]!;
  const platformFaults = new PlatformFaults(control, agenda);
  const storefronts = new Storefronts(world, agenda, learned);
  faults.arm(cloud, agenda.beganMs);
  tables.indexLagMs = () => cloud.indexLagMs;
  for (const act of cloud.acts) {
    agenda.at(act.at, () => operate(act, tills[act.merchant]!, world, agenda, learned.resources.values()));
  }
  for (const { at, functionName, ...fault } of kills) {
    agenda.at(at, () => control.control('POST', `/_cloud/functions/${functionName}/faults`, fault));
  }
  for (const merchant of merchants) {
    planMerchant(merchant, tills[merchant.merchant]!, agenda, storefronts, platformFaults);
  }
  for (const at of READ_TIMES) {
    agenda.at(at, () => learned.readChanges());
  }
  agenda.at(FAULTS_END, () => {
    host.clearFaults();
    return platformFaults.stop(false);
  });
  agenda.at(LATE_FAULTS_END, async () => host.clearFaults());
  agenda.at(FAULTS_END + ENDED_AFTER.sale, () => learned.noneIsOpen('sale'));
  agenda.at(FAULTS_END + ENDED_AFTER.charge, () => learned.noneIsOpen('charge'));
  agenda.at(ACTS_END, () => platformFaults.stop(true));
}

function planMerchant(
  { faults, sales, orders }: MerchantScenario,
  till: Till,
  agenda: Agenda,
  storefronts: Storefronts,
  platformFaults: PlatformFaults,
): void {
  for (const fault of faults) {
    agenda.at(fault.from, () => platformFaults.begin(fault, till));
  }
  for (const sale of sales) {
    agenda.at(sale.at, () => storefronts.sell(sale, till));
  }
  for (const order of orders) {
    agenda.at(order.at, () => storefronts.order(order, till));
  }
}

class PlatformFaults {
  readonly #control: Till;
  readonly #agenda: Agenda;
  readonly #ofWebhooks: string[] = [];

  constructor(control: Till, agenda: Agenda) {
    this.#control = control;
    this.#agenda = agenda;
  }

  async begin({ from: _, until, match, ...fault }: TimedFault, { merchant: { merchantId } }: Till): Promise<void> {
    const body = { ...fault, match: { ...match, merchantId } };
    const { faultId } = await this.#control.control('POST', '/_sim/faults', body);
    if (fault.name.endsWith('_webhook')) {
      this.#ofWebhooks.push(faultId);
    }
    this.#agenda.at(until, () => this.#remove(faultId));
  }

  async stop(ofWebhooks: boolean): Promise<void> {
    const { faults } = await this.#control.control('GET', '/_sim/faults');
    for (const { faultId } of faults) {
      if (ofWebhooks || !this.#ofWebhooks.includes(faultId)) {
        await this.#remove(faultId);
      }
    }
  }

  async #remove(faultId: string): Promise<void> {
    await this.#control.control('DELETE', `/_sim/faults/${faultId}`).catch(() => {});
  }
}

function storedTokens({ tables, tokensTable, clock }: World): ReadonlySet<string> {
  const items = [...tables.itemsOf(tokensTable).values()];
  const stored = items.filter(({ token, expiresAt }) => token !== undefined && Number(expiresAt) * 1000 > clock.now());
  return new Set(stored.map(({ pk }) => String(pk)));
}

/** The authorizer answers 401 by an error. */
function isError({ functionName, message }: Json): boolean {
  return (message?.level === 'ERROR' || message?.errorType !== undefined) && !functionName.endsWith('authorizer');
}
