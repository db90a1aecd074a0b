/**
 * DynamoDB in memory, for the commands that the stores send: items by key, conditions, indexes that lag behind. An
 * expression that it does not know is an error, so a new one is noticed.
 */
interface TableKeys {
  readonly name: string;
  readonly indexes: Readonly<Record<string, Index>>;
}

interface Index {
  readonly partitionKey: string;
  readonly sortKey: string;
  /** The other attributes that it holds. */
  readonly projected: readonly string[];
}

/** A page of a query may be shorter than its limit, and an answer to BatchGet may leave keys out. */
const PAGE = 5;

type Item = Readonly<Record<string, unknown>>;
type Values = Readonly<Record<string, unknown>>;

interface Input {
  readonly TableName: string;
  readonly Key: { readonly pk: string };
  readonly ConsistentRead?: boolean;
  readonly Item: Item;
  readonly ConditionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Values;
  readonly IndexName: string;
  readonly KeyConditionExpression: string;
  readonly FilterExpression?: string;
  readonly ScanIndexForward?: boolean;
  readonly Limit: number;
  readonly ExclusiveStartKey?: Item;
  readonly RequestItems: Readonly<
    Record<string, { readonly Keys: readonly { readonly pk: string }[]; readonly ConsistentRead?: boolean }>
  >;
}

/** An error as the SDK throws it. */
export function serviceError(name: string, fault: 'client' | 'server', message = name): Error {
  return Object.assign(new Error(message), { name, $fault: fault });
}

interface Table {
  readonly items: Map<string, Item>;
  /** What the indexes show: an earlier state of the items. */
  readonly shown: Map<string, Item>;
  /** The writes that the indexes do not show yet, oldest first. */
  readonly hidden: { readonly pk: string; readonly item: Item | undefined; readonly visibleMs: number }[];
}

export class Tables {
  /** How long an index lags behind the next write. */
  indexLagMs: () => number = () => 0;
  readonly #now: () => number;
  readonly #keys: Readonly<Record<string, TableKeys>>;
  readonly #tables: ReadonlyMap<string, Table>;
  /** Called after each write. */
  onWrite: (table: string, before: Item | undefined, after: Item | undefined) => void = () => {};

  constructor(keys: readonly TableKeys[], now: () => number) {
    this.#keys = Object.fromEntries(keys.map((table) => [table.name, table]));
    this.#tables = new Map(keys.map(({ name }) => [name, { items: new Map(), shown: new Map(), hidden: [] }]));
    this.#now = now;
  }

  itemsOf(table: string): ReadonlyMap<string, Item> {
    return this.#table(table).items;
  }

  /** Whether an item has reached the time in that attribute. */
  hasDue(table: string, attribute: string): boolean {
    const now = new Date(this.#now()).toISOString();
    return this.itemsOf(table)
      .values()
      .some((item) => String(item[attribute] ?? '~') <= now);
  }

  /** Deletes items, as DynamoDB may do it before their time. */
  async lose(table: string, keys: RegExp): Promise<void> {
    const { items } = this.#table(table);
    for (const pk of [...items.keys()].filter((one) => keys.test(one))) {
      items.delete(pk);
    }
  }

  clear(): void {
    for (const { items, shown, hidden } of this.#tables.values()) {
      items.clear();
      shown.clear();
      hidden.length = 0;
    }
  }

  run(operation: string, input: Input): unknown {
    switch (operation) {
      case 'Get':
        return { Item: this.#read(input.TableName, input.ConsistentRead).get(input.Key.pk) };
      case 'Put':
        return this.#put(input);
      case 'Delete':
        return this.#delete(input);
      case 'BatchGet':
        return this.#batchGet(input);
      case 'Query':
        return this.#query(input);
      default:
        throw new Error(`the table does not know ${operation}`);
    }
  }

  #table(name: string): Table {
    const table = this.#tables.get(name);
    if (table === undefined) {
      throw serviceError('ResourceNotFoundException', 'client', `no table ${name}`);
    }
    return table;
  }

  #put({ TableName, Item: given, ConditionExpression, ...expression }: Input): object {
    const item = cleaned(given);
    const pk = String(item['pk']);
    const before = this.itemsOf(TableName).get(pk);
    if (ConditionExpression !== undefined && !holds(ConditionExpression, before, expression)) {
      throw serviceError('ConditionalCheckFailedException', 'client');
    }
    this.#write(TableName, pk, item);
    this.onWrite(TableName, before, item);
    return {};
  }

  #delete({ TableName, Key }: Input): object {
    const before = this.itemsOf(TableName).get(Key.pk);
    this.#write(TableName, Key.pk, undefined);
    this.onWrite(TableName, before, undefined);
    return {};
  }

  #write(name: string, pk: string, item: Item | undefined): void {
    const { items, hidden } = this.#table(name);
    set(items, pk, item);
    hidden.push({ pk, item, visibleMs: this.#now() + this.indexLagMs() });
  }

  /** A read that is not consistent may show an earlier state, as an index does. */
  #read(name: string, consistent = false): ReadonlyMap<string, Item> {
    return consistent ? this.itemsOf(name) : this.#shown(name);
  }

  /** The items as the indexes show them now. */
  #shown(name: string): ReadonlyMap<string, Item> {
    const { shown, hidden } = this.#table(name);
    while (hidden[0] !== undefined && hidden[0].visibleMs <= this.#now()) {
      const { pk, item } = hidden.shift()!;
      set(shown, pk, item);
    }
    return shown;
  }

  #batchGet({ RequestItems }: Input): object {
    const [[name, { Keys, ConsistentRead }] = ['', { Keys: [] }]] = Object.entries(RequestItems);
    const left = Keys.slice(PAGE);
    return {
      Responses: { [name]: Keys.slice(0, PAGE).flatMap(({ pk }) => this.#read(name, ConsistentRead).get(pk) ?? []) },
      ...(left.length > 0 && { UnprocessedKeys: { [name]: { Keys: left } } }),
    };
  }

  #query({ TableName, IndexName, Limit, ScanIndexForward = true, ExclusiveStartKey, ...expression }: Input): object {
    const { ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} } = expression;
    const { partitionKey, sortKey, projected } = this.#keys[TableName]!.indexes[IndexName]!;
    if (names['#partition'] !== partitionKey || (names['#sort'] ?? sortKey) !== sortKey) {
      throw new Error(`the query of ${IndexName} names other keys`);
    }
    const inRange = rangeOf(expression.KeyConditionExpression, values);
    const place = (item: Item) => `${String(item[sortKey])} ${String(item['pk'])}`;
    const rows = [...this.#shown(TableName).values()]
      .filter((item) => item[partitionKey] === values[':partition'] && inRange(String(item[sortKey])))
      .sort((one, other) => (place(one) < place(other) ? -1 : 1) * (ScanIndexForward ? 1 : -1));
    const isAfter = (item: Item) =>
      ExclusiveStartKey === undefined || place(item) > place(ExclusiveStartKey) === ScanIndexForward;
    const rest = rows.filter(
      (item) => isAfter(item) && (!ExclusiveStartKey || place(item) !== place(ExclusiveStartKey)),
    );
    const page = rest.slice(0, Math.min(Limit, PAGE));
    const last = rest.length > page.length ? page.at(-1) : undefined;
    const isWanted = filterOf(expression.FilterExpression, names, values);
    return {
      Items: page.filter(isWanted).map((item) => only(['pk', partitionKey, sortKey, ...projected], item)),
      ...(last && {
        LastEvaluatedKey: { pk: last['pk'], [partitionKey]: last[partitionKey], [sortKey]: last[sortKey] },
      }),
    };
  }
}

function set(items: Map<string, Item>, pk: string, item: Item | undefined): void {
  if (item === undefined) {
    items.delete(pk);
  } else {
    items.set(pk, item);
  }
}

/**
 * As the document client does with `removeUndefinedValues`; what is stored is not shared with the writer. What came out of
 * the table is frozen and can be stored again as it is.
 */
function cleaned<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) {
    return value;
  }
  const copy = Array.isArray(value)
    ? value.map(cleaned)
    : Object.fromEntries(
        Object.entries(value)
          .filter(([, part]) => part !== undefined)
          .map(([name, part]) => [name, cleaned(part)]),
      );
  return Object.freeze(copy) as T;
}

function only(names: readonly string[], item: Item): Item {
  return Object.fromEntries(names.filter((name) => name in item).map((name) => [name, item[name]]));
}

function holds(
  condition: string,
  item: Item | undefined,
  { ExpressionAttributeValues: values = {} }: Pick<Input, 'ExpressionAttributeValues'>,
): boolean {
  switch (condition) {
    case 'attribute_not_exists(pk)':
      return item === undefined;
    case 'writeId = :before':
      return item !== undefined && item['writeId'] === values[':before'];
    case 'attribute_not_exists(pk) OR expiresAt <= :now':
      return item === undefined || Number(item['expiresAt']) <= Number(values[':now']);
    case '#revision = :expected':
      return item !== undefined && item['revision'] === values[':expected'];
    default:
      throw new Error(`the table does not know the condition ${condition}`);
  }
}

function rangeOf(condition: string, values: Values): (sort: string) => boolean {
  const value = (name: string) => String(values[name]);
  switch (condition) {
    case '#partition = :partition':
      return () => true;
    case '#partition = :partition AND #sort <= :now':
      return (sort) => sort <= value(':now');
    case '#partition = :partition AND #sort BETWEEN :from AND :to':
      return (sort) => sort >= value(':from') && sort <= value(':to');
    default:
      throw new Error(`the table does not know the condition ${condition}`);
  }
}

function filterOf(
  filter: string | undefined,
  names: Readonly<Record<string, string>>,
  values: Values,
): (item: Item) => boolean {
  const parts = filter === undefined ? [] : filter.split(' AND ').map((part) => part.split(' = '));
  if (parts.some((part) => part.length !== 2)) {
    throw new Error(`the table does not know the filter ${filter}`);
  }
  return (item) => parts.every(([name = '', value = '']) => item[names[name] ?? ''] === values[value]);
}
