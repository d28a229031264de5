import type { Reject } from '../batch.ts';
import type { Row, Value } from '../canonical.ts';
import type { AppliedTo, ApplyRequest, LoggedRow, LoggedValue, TargetChange } from '../changes.ts';
import type { Changes, Field } from '../contract.ts';
import { MARK } from '../marks.ts';
import { type FakeTable, identityOf, identityOfKey, type Memory } from './memory.ts';
import { faultOf, isSame, merged, none, prepared } from './write.ts';

type RowChange = Extract<TargetChange, { op: 'insert' | 'update' }>;
type Outcome = Partial<Changes> | Reject;

/** A table as it will be when what was applied is committed. */
export class DraftTable {
  readonly #memory: Memory;
  readonly #stream: AppliedTo;
  readonly #table: FakeTable;
  /** What has to be done at the commit, in its order; all tables share it. */
  readonly #steps: (() => void)[];
  /** Rows that are not as they are in the table; null when they are gone. */
  readonly #rows: Map<string, Row | null>;
  #isEmptied: boolean;

  constructor(memory: Memory, stream: AppliedTo, steps: (() => void)[], before?: DraftTable) {
    this.#memory = memory;
    this.#stream = stream;
    this.#steps = steps;
    this.#table = prepared(memory, { ...stream, mode: 'mirror' });
    this.#rows = before ? before.#rows : new Map();
    this.#isEmptied = before ? before.#isEmptied : false;
  }

  extended(fields: readonly Field[]): DraftTable {
    return new DraftTable(this.#memory, { ...this.#stream, fields }, this.#steps, this);
  }

  /** What was committed is in the table; what was not is gone. */
  clear(): void {
    this.#rows.clear();
    this.#isEmptied = false;
  }

  /** Makes a change in the draft, and tells what has come of it. */
  async make(change: TargetChange, lookUp: ApplyRequest['lookUp']): Promise<Outcome> {
    if (change.op === 'truncate') return { deleted: this.#truncate() };
    if (change.op === 'delete') return this.#remove(identityOfKey(this.#table, change.key)) ? { deleted: 1 } : { unchanged: 1 };
    const fault = this.#fault(change.row);
    if (fault) return { row: this.#named(change.row), ...fault };
    const [own, before] = [
      this.#identity(change.row),
      change.op === 'update' && change.key ? identityOfKey(this.#table, change.key) : undefined,
    ];
    const isMoved = before !== undefined && before !== own;
    const [old, taken] = [isMoved ? this.#get(before) : undefined, this.#get(own)];
    if (old && taken && !change.mayBeThere) return { row: this.#named(change.row), reason: 'Another row has this key.' };
    const isThere = isMoved ? old !== undefined || (taken !== undefined && change.mayBeThere === true) : taken !== undefined;
    if (!isThere && change.row.includes(undefined)) return this.#complete(change, lookUp);
    return this.#put(own, change, taken ?? old, isMoved && old ? before : undefined);
  }

  #put(own: string, { row, mayBeThere }: Pick<RowChange, 'row' | 'mayBeThere'>, stored: Row | undefined, moved?: string): Outcome {
    const values = merged(this.#table, stored, this.#arranged(row));
    if (stored && mayBeThere && moved === undefined && isSame(this.#table, stored, values)) return { unchanged: 1 };
    if (moved !== undefined) this.#rows.set(moved, null);
    this.#rows.set(own, values);
    this.#steps.push(() =>
      moved === undefined ? this.#memory.put(this.#table, values) : this.#memory.replace(this.#table, moved, values),
    );
    return stored ? { updated: 1 } : { inserted: 1 };
  }

  /** The row is not here, and the log has left something out. */
  async #complete(change: RowChange, lookUp: ApplyRequest['lookUp']): Promise<Outcome> {
    const { fields, key } = this.#stream;
    if (!lookUp) return { row: this.#named(change.row), reason: 'The row is not there, and the change does not tell all of it.' };
    const values = key.map((name): Value => change.row[fields.findIndex((field) => field.name === name)] ?? null);
    const [row] = await lookUp(change.stream, [values]);
    return row ? this.#put(this.#identity(row), { row }, this.#get(this.#identity(row))) : { unchanged: 1 };
  }

  #remove(identity: string): boolean {
    const row = this.#get(identity);
    const { deletes } = this.#stream;
    if (!row || deletes === 'keep') return false;
    if (deletes === 'mark') return this.#mark(identity, row);
    this.#rows.set(identity, null);
    this.#steps.push(() => this.#memory.remove(this.#table, identity));
    return true;
  }

  #truncate(): number {
    const identities = new Set([...this.#table.rows.keys(), ...this.#rows.keys()]);
    const there = [...identities].filter((identity) => this.#get(identity));
    const { deletes } = this.#stream;
    if (deletes === 'keep') return 0;
    if (deletes === 'mark') return there.filter((identity) => this.#remove(identity)).length;
    this.#rows.clear();
    this.#isEmptied = true;
    this.#steps.push(() => this.#memory.truncate(this.#table));
    return there.length;
  }

  #mark(identity: string, row: Row): boolean {
    const at = this.#table.fields.findIndex(({ name }) => name === MARK.name);
    if ((row[at] ?? null) !== null) return false;
    const now = new Date().toISOString().replace('T', ' ').replace('Z', '+00');
    const values = this.#table.fields.map((_, index) => (index === at ? now : (row[index] ?? null)));
    this.#rows.set(identity, values);
    this.#steps.push(() => this.#memory.put(this.#table, values));
    return true;
  }

  #get(identity: string): Row | undefined {
    const row = this.#rows.get(identity);
    if (row !== undefined) return row ?? undefined;
    return this.#isEmptied ? undefined : this.#table.rows.get(identity)?.values;
  }

  #identity(row: LoggedRow): string {
    return identityOf(this.#table, this.#arranged(row) as Row) ?? '';
  }

  /** In the order of the table's fields; undefined where nothing is told. */
  #arranged(row: LoggedRow): LoggedValue[] {
    return this.#table.fields.map(({ name }) => row[this.#stream.fields.findIndex((field) => field.name === name)]);
  }

  #fault(row: LoggedRow): ReturnType<typeof faultOf> {
    const { fields, key } = this.#stream;
    const isTold = (_: unknown, at: number): boolean => row[at] !== undefined;
    return faultOf(row.filter(isTold) as Row, { fields: fields.filter(isTold), key, mode: 'upsert' });
  }

  #named(row: LoggedRow): Reject['row'] {
    return Object.fromEntries(this.#stream.fields.map(({ name }, at) => [name, row[at]]));
  }
}

/** Adds what has come of a change to the counts. */
export function countInto(counts: Changes, outcome: Partial<Changes>): void {
  for (const name of Object.keys(none()) as (keyof Changes)[]) counts[name] += outcome[name] ?? 0;
}
