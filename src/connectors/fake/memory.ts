import { type CanonicalType, comparable, type Row, type Value } from '../canonical.ts';
import type { Field } from '../contract.ts';
import { OutsideError } from '../../outside/errors.ts';
import { LogMemory } from './log-memory.ts';
import type { FakeConfig, Fault, FakeStreamConfig } from './manifest.ts';

export interface StoredRow {
  /** The order of arrival. */
  readonly id: number;
  /** The transaction that wrote it last. */
  readonly transaction: number;
  readonly values: Row;
}

export interface FakeTable {
  readonly name: string;
  fields: Field[];
  readonly key: readonly string[];
  readonly cursors: readonly string[];
  readonly endless: boolean;
  readonly rows: Map<string, StoredRow>;
  /** Changes with every write, so that readers know when to sort anew. */
  version: number;
}

export interface FakeCheckpoint {
  token: bigint;
  position: string | undefined;
  note: string | undefined;
  /** What a mirror has collected so far. */
  stage: Map<string, Partial<Row>> | undefined;
  /** Keys of rows that it could not use: what the table has of them stays. */
  readonly spared: Set<string>;
}

/** What all sessions of one name share. */
export class Memory {
  readonly tables = new Map<string, FakeTable>();
  readonly checkpoints = new Map<string, FakeCheckpoint>();
  readonly log = new LogMemory();
  /** Faults that tests add while sessions are open, besides those of the configuration. */
  readonly faults: Fault[] = [];
  readonly struck = new Map<Fault, number>();
  /** Sessions opened before it was raised have lost their connection. */
  epoch = 0;
  /** Reads and writers that have not let go yet. */
  open = 0;
  #transactions = 0;
  #turn: Promise<unknown> = Promise.resolve();
  #running = new Set<number>();
  #ids = 0;

  addTable(name: string, { fields, key = [], cursors = [], endless = false }: Omit<FakeStreamConfig, 'name'>): FakeTable {
    const table: FakeTable = {
      name,
      fields: fields.map((field) => ({ name: field.name, type: field.type, nullable: field.nullable ?? true })),
      key,
      cursors,
      endless,
      rows: new Map(),
      version: 0,
    };
    this.tables.set(name, table);
    return table;
  }

  table(name: string): FakeTable {
    const table = this.tables.get(name);
    if (!table) throw new OutsideError('config', 'STREAM_MISSING', `There is no stream "${name}".`);
    return table;
  }

  /** Its rows are seen at `commit`; until then nobody reads by cursor past where it began. */
  begin(): { put(table: FakeTable, values: Row): void; commit(): void } {
    const transaction = ++this.#transactions;
    const work: (() => void)[] = [];
    this.#running.add(transaction);
    return {
      put: (table, values) => work.push(() => this.#store(table, values, transaction)),
      commit: () => {
        this.log.transact(() => {
          for (const step of work) step();
        });
        this.#running.delete(transaction);
      },
    };
  }

  /** One after the other, as those who write the same rows have to: what one has seen stays so until it is done. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = this.#turn.then(work);
    this.#turn = mine.catch(() => {});
    return mine;
  }

  put(table: FakeTable, values: Row): void {
    this.#store(table, values, ++this.#transactions);
  }

  /** Puts a row in place of another one, whose key may be another. */
  replace(table: FakeTable, identity: string, values: Row): void {
    const before = table.rows.get(identity)?.values;
    table.rows.delete(identity);
    this.#store(table, values, ++this.#transactions, before);
  }

  remove(table: FakeTable, identity: string): boolean {
    const before = table.rows.get(identity);
    table.version++;
    if (before) this.log.add(table, 'delete', before.values);
    return table.rows.delete(identity);
  }

  /** Removes all rows at once. */
  truncate(table: FakeTable): void {
    table.version++;
    table.rows.clear();
    this.log.add(table, 'truncate', []);
  }

  /** Transactions from this one on may not be followed yet: an older one is still running. */
  get horizon(): number {
    return Math.min(this.#transactions + 1, ...this.#running);
  }

  #store(table: FakeTable, values: Row, transaction: number, replaced?: Row): void {
    const id = ++this.#ids;
    const identity = identityOf(table, values) ?? `#${id}`;
    const before = replaced ?? table.rows.get(identity)?.values;
    table.rows.set(identity, { id: table.rows.get(identity)?.id ?? id, transaction, values });
    table.version++;
    this.log.add(table, before ? 'update' : 'insert', values, before);
  }
}

const memories = new Map<string, Memory>();

/** The memory of that name; the streams of the configuration are put into it unless they are there already. */
export function memoryOf({ name, streams }: Pick<FakeConfig, 'name'> & Partial<FakeConfig>): Memory {
  const memory = memories.get(name) ?? new Memory();
  memories.set(name, memory);
  for (const stream of streams ?? []) {
    if (memory.tables.has(stream.name)) continue;
    const table = memory.addTable(stream.name, stream);
    for (const row of stream.rows ?? generated(table.fields, stream.generate?.count ?? 0, stream.generate?.seed ?? 0))
      memory.put(table, row);
  }
  return memory;
}

/** What tells a row from the others; undefined when the table has no key. */
export function identityOf(table: Pick<FakeTable, 'key' | 'fields'>, values: Row): string | undefined {
  if (table.key.length === 0) return undefined;
  return keyText(
    table.key.map((name) => table.fields.findIndex((field) => field.name === name)).map((at) => ofType(table, at, values[at])),
  );
}

/** The same for the values of a key alone. */
export function identityOfKey(table: Pick<FakeTable, 'key' | 'fields'>, values: Row): string {
  return keyText(
    table.key.map((name, at) =>
      ofType(
        table,
        table.fields.findIndex((field) => field.name === name),
        values[at],
      ),
    ),
  );
}

function ofType(table: Pick<FakeTable, 'fields'>, at: number, value: Value | undefined): Value {
  return comparable(table.fields[at]?.type ?? 'text', value ?? null);
}

function keyText(values: readonly Value[]): string {
  return JSON.stringify(values);
}

function* generated(fields: readonly Field[], count: number, seed: number): Generator<Row> {
  for (let n = 1; n <= count; n++) yield fields.map((field) => madeUp(field.type, n + seed));
}

function madeUp(type: CanonicalType, n: number): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const date = `2026-${two((n % 12) + 1)}-${two((n % 28) + 1)}`;
  const time = `${two(n % 24)}:${two(n % 60)}:${two(n % 59)}.${String(n % 1_000_000).padStart(6, '0')}`;
  const made: Readonly<Record<CanonicalType, string>> = {
    text: `text ${n}`,
    int64: String(n),
    decimal: `${n}.${two(n % 100)}`,
    float64: String(n / 8),
    boolean: n % 2 ? 't' : 'f',
    date,
    time,
    timestamp: `${date} ${time}`,
    timestamptz: `${date} ${time}+00`,
    uuid: `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`,
    json: `{"n":${n}}`,
    binary: `\\x${n.toString(16).padStart(8, '0')}`,
  };
  return made[type];
}
