/** What the storefronts learn: the resources, as their reads show them over time. */
import { type Answer, type Json, PATHS, type Till } from '../../till.ts';
import type { World } from '../world.ts';
import type { Agenda } from './agenda.ts';
import type { SaleStory } from './scenario.ts';

export interface Resource {
  readonly kind: 'sale' | 'charge' | 'rf-order';
  readonly id: string;
  readonly merchantId: string;
  /** Each change, with the time at which it was seen. */
  readonly views: { readonly atMs: number; readonly body: Json }[];
  /** The resource by its id at rest, with its timeline. */
  atRest: Json;
  /** Capture requests, whatever was answered. */
  readonly captures: { readonly amount: number; readonly isvAmount?: number }[];
  /** The ids of those that were accepted. */
  readonly acceptedCaptures: Set<string>;
  readonly asked: Json;
  /** Of a sale. */
  story?: SaleStory;
  /** When the API accepted an abort of the sale. */
  abortedMs?: number;
}

/** After this time nothing is open, when the faults are over. */
export const ENDED_AFTER = { sale: 20 * 60, charge: 45 * 60 } as const;

export class Learned {
  readonly resources = new Map<string, Resource>();
  /** Resources that are still open and should not be. */
  readonly slow: string[] = [];
  /** Answers that no API should give. */
  readonly odd: string[] = [];
  readonly #world: World;
  readonly #agenda: Agenda;
  readonly #tills: readonly Till[];
  /** The revisions as last read, by the item's key. */
  readonly #revisions = new Map<string, number>();
  #reading: Promise<void> = Promise.resolve();

  constructor(world: World, agenda: Agenda, tills: readonly Till[]) {
    this.#world = world;
    this.#agenda = agenda;
    this.#tills = tills;
  }

  /** A read is repeated until it is answered. */
  async read(till: Till, path: string): Promise<Json> {
    for (;;) {
      const answer = await till.api('GET', path);
      if (answer.status === 200) {
        return answer.body;
      }
      if (!mayBeRepeated(answer)) {
        this.odd.push(`GET ${path} answered ${answer.status} ${answer.text.slice(0, 300)}`);
        return answer.body;
      }
      await this.#agenda.wait(2);
    }
  }

  items(): Json[] {
    return [...this.#world.tables.itemsOf(this.#world.paymentsTable).values()];
  }

  keep(kind: Resource['kind'], id: string, till: Till, asked: Json): Resource {
    const { merchantId } = till.merchant;
    const resource = {
      kind,
      id,
      merchantId,
      views: [],
      atRest: undefined,
      captures: [],
      acceptedCaptures: new Set<string>(),
      asked,
    };
    const known = this.resources.get(id);
    this.resources.set(id, known === undefined ? resource : { ...known, asked });
    return this.resources.get(id)!;
  }

  /** Reads what changed, including resources that no storefront got an answer about. */
  readChanges(): Promise<void> {
    this.#reading = this.#reading.then(() => this.#readChangesNow());
    return this.#reading;
  }

  async #readChangesNow(): Promise<void> {
    for (const { pk, status, revision, merchantId } of this.items()) {
      const [kind, id] = pk.split('#');
      const till = this.#tills.find(({ merchant }) => merchant.merchantId === merchantId);
      if (!isKind(kind) || status === undefined || till === undefined || this.#revisions.get(pk) === revision) {
        continue;
      }
      this.#revisions.set(pk, revision);
      const { timeline: _, ...body } = await this.read(till, `${PATHS[kind]}/${id}`);
      write(this.resources.get(id) ?? this.keep(kind, id, till, undefined), this.#world.clock.now(), body);
    }
  }

  async noneIsOpen(kind: 'sale' | 'charge'): Promise<void> {
    await this.readChanges();
    const since = this.#world.clock.now() - ENDED_AFTER.charge * 1000;
    for (const resource of [...this.resources.values()].filter((one) => one.kind === kind)) {
      const { status, captures = [] } = resource.views.at(-1)?.body ?? {};
      const stored = this.items().find(({ pk }) => pk === `charge#${resource.id}`);
      const isOld = ({ requestedAt }: Json) => Date.parse(requestedAt) <= since;
      const isOpen = ({ status: of, captureId }: Json) =>
        ['pending', 'unknown'].includes(of) &&
        stored.captures.filter(isOld).some((one: Json) => one.captureId === captureId);
      const pending = captures.some(isOpen);
      if (OPEN[kind].includes(status) || pending) {
        this.slow.push(`${kind} ${resource.id} is ${status}${pending ? ' with a capture open' : ''}`);
      }
    }
  }

  /** Reads every resource a last time. */
  async readAll(): Promise<void> {
    await this.readChanges();
    for (const resource of this.resources.values()) {
      const till = this.#tills.find(({ merchant }) => merchant.merchantId === resource.merchantId)!;
      const { timeline, ...body } = await this.read(till, `${PATHS[resource.kind]}/${resource.id}`);
      resource.atRest = { ...body, timeline };
      write(resource, this.#world.clock.now(), body);
    }
  }
}

const OPEN: Readonly<Record<'sale' | 'charge', readonly string[]>> = {
  sale: ['created', 'awaiting_card', 'unconfirmed'],
  charge: ['created', 'processing', 'requires_authentication'],
};

export function mayBeRepeated({ status, body }: Answer): boolean {
  return (status >= 500 && body?.rfOrderId === undefined) || status === 429 || body?.code === 'RF_ORDER_IN_PROGRESS';
}

function isKind(kind: string): kind is Resource['kind'] {
  return Object.hasOwn(PATHS, kind);
}

function write({ views }: Resource, atMs: number, { updatedAt: _, ...body }: Json): void {
  if (JSON.stringify(views.at(-1)?.body) !== JSON.stringify(body)) {
    views.push({ atMs, body });
  }
}
