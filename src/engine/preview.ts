import { DatabaseSync } from 'node:sqlite';
import { comparable, type Row } from '../connectors/canonical.ts';
import type { Field, Filter, Stream } from '../connectors/contract.ts';
import { DELETED_AT } from '../connectors/marks.ts';
import { keyOfRow, LineKeys, rowOfKey } from './delivered/keyed-lines.ts';
import { lastEntries, readLedger, segmentsOf } from './delivered/ledger.ts';
import { from } from './failure.ts';
import { mappingOf } from './stream.ts';
import { sourceOf, type StreamWork, targetOf } from './stream-work.ts';
import { unusableKeys } from './unusable-keys.ts';
import type { ChangeSample, StreamChanges } from './run.ts';
import { shownValue } from '../connectors/shown-values.ts';

const SAMPLES = 5;
/** So few changed rows are looked up at the target by their keys; more are found by reading it. */
const MOST_LOOKED_UP = 500;

/** Shows what a run would change. It reads both ends and compares in a temporary file; nothing is written at the target. */
export async function previewStream(work: StreamWork, target: Stream | undefined, targetFilters: boolean): Promise<void> {
  const { plan, report, ports } = work;
  const rows = new RowStore(plan.write.mode === 'append' ? [] : plan.write.key, plan.write.fields);
  try {
    await readSource(work, rows);
    const changes = await changesOf(work, rows, target, targetFilters);
    Object.assign(report, { status: report.rejected > 0 ? 'partial' : 'succeeded', changes });
    ports.progress(plan.index, report);
  } finally {
    rows.close();
  }
}

async function readSource(work: StreamWork, rows: RowStore): Promise<void> {
  const { plan, report, source, signal, state, ports } = work;
  const mapping = mappingOf(plan);
  const isWhole = plan.write.mode === 'mirror' || state.position === null;
  const batches = source.read({ ...plan.read, ...(isWhole ? {} : { after: state.position ?? '' }), signal });
  for await (const found of from(sourceOf(work), batches)) {
    const mapped = mapping.map(found);
    const { batch } = mapped;
    const rejected = found.rejects.length + mapped.rejects.length;
    rows.spare(unusableKeys(plan, mapping, found, mapped));
    if (batch.operation === 'write') rows.add(batch.rows);
    report.read += batch.count + rejected;
    report.rejected += rejected;
    ports.progress(plan.index, report);
  }
}

async function changesOf(work: StreamWork, rows: RowStore, target: Stream | undefined, targetFilters: boolean): Promise<StreamChanges> {
  if (work.plan.isDelivered) return compareWithLedger(work, rows);
  return work.plan.write.mode === 'append' || !target ? allNew(rows) : compare(work, rows, target, targetFilters);
}

function allNew(rows: RowStore): StreamChanges {
  return { inserted: rows.left, updated: 0, deleted: 0, unchanged: 0, samples: rows.samplesLeft() };
}

async function compare(work: StreamWork, rows: RowStore, target: Stream, targetFilters: boolean): Promise<StreamChanges> {
  const { plan, signal } = work;
  const { fields, deletes, mode, key } = plan.write;
  const there = fields.filter(({ name }) => target.fields.some((field) => field.name === name));
  const marks = deletes === 'mark' && target.fields.some(({ name }) => name === DELETED_AT);
  const read = [...there.map(({ name }) => name), ...(marks ? [DELETED_AT] : [])];
  const changes = { inserted: 0, updated: 0, deleted: 0, unchanged: 0 };
  const samples = { update: [] as ChangeSample[], delete: [] as ChangeSample[] };
  const filters = mode === 'mirror' || !targetFilters ? undefined : rows.keysAsFilter(key);
  const batches = work.target.read({ stream: plan.write.stream, fields: read, key, ...(filters && { filters }), signal });
  for await (const { rows: found } of from(targetOf(work), batches)) {
    for (const row of found) {
      const before = fields.map(({ name }) => row[read.indexOf(name)] ?? null);
      const isMarked = marks && row.at(-1) !== null;
      const after = rows.take(before);
      if (after === undefined) {
        if (mode !== 'mirror' || deletes === 'keep' || isMarked || rows.isSpared(before)) continue;
        changes.deleted++;
        if (samples.delete.length < SAMPLES) samples.delete.push(rows.sample('delete', before, null));
      } else if (!isMarked && rows.isSame(before, after)) changes.unchanged++;
      else {
        changes.updated++;
        if (samples.update.length < SAMPLES) samples.update.push(rows.sample('update', before, after));
      }
    }
  }
  changes.inserted = rows.left;
  return { ...changes, samples: [...rows.samplesLeft(), ...samples.update, ...samples.delete] };
}

/** A target that cannot be read back is compared with what it has accepted. What stood there before nobody knows. */
async function compareWithLedger(work: StreamWork, rows: RowStore): Promise<StreamChanges> {
  const { fields, key, deletes } = work.plan.write;
  const table = await readLedger(work);
  const names = fields.map(({ name }) => name);
  const keys = new LineKeys(names, key, table.marks);
  const changes = { inserted: 0, updated: 0, deleted: 0, unchanged: 0 };
  const samples: ChangeSample[] = [];
  const shown = { insert: 0, update: 0, delete: 0 };
  const show = (change: ChangeSample['change'], sample: () => ChangeSample): void => {
    if (shown[change]++ < SAMPLES) samples.push(sample());
  };
  for (const spared of rows.sparedKeys()) table.see(table.findKey(keyOfRow(spared)));
  for (const row of rows.all()) {
    const line = keys.ofRow(row);
    const place = table.find(line.mark);
    table.see(place);
    if (table.isSame(place, line.digest)) changes.unchanged++;
    else {
      const change = table.isThere(place) ? 'update' : 'insert';
      changes[change === 'update' ? 'updated' : 'inserted']++;
      show(change, () => rows.sample(change, null, row));
    }
  }
  if (deletes === 'keep') return { ...changes, samples };
  changes.deleted = table.gone;
  const types = key.map((name) => fields.find((field) => field.name === name)?.type ?? 'text');
  for await (const segment of segmentsOf(work))
    for (const { entry, place } of lastEntries(segment, table)) {
      if (shown.delete >= SAMPLES || !table.isGone(place)) continue;
      const values = rowOfKey(entry.key);
      const named = key.map((name, at) => [name, shownValue(types[at] ?? 'text', values[at] ?? null)] as const);
      show('delete', () => ({ change: 'delete', key: Object.fromEntries(named), before: null, after: null }));
    }
  return { ...changes, samples };
}

/** The rows of the source by their keys, in a temporary file that goes with the process: a table need not fit into memory. */
class RowStore {
  readonly #fields: readonly Field[];
  readonly #keyPlaces: readonly number[];
  readonly #db = new DatabaseSync('');
  readonly #put;
  readonly #take;
  readonly #spare;
  readonly #findSpared;

  /** Without a key a row is the same as an equal one, and three that are equal are three. */
  constructor(key: readonly string[], fields: readonly Field[]) {
    this.#fields = fields;
    this.#keyPlaces = key.map((name) => fields.findIndex((field) => field.name === name));
    this.#db.exec('pragma journal_mode = off; create table source (key text primary key, row text not null, n integer not null)');
    this.#db.exec('create table spared (key text primary key, plain text not null); begin');
    const again = key.length > 0 ? 'row = excluded.row' : 'n = n + 1';
    this.#put = this.#db.prepare(`insert into source (key, row, n) values (?, ?, 1) on conflict (key) do update set ${again}`);
    this.#take = this.#db.prepare('update source set n = n - 1 where key = ? and n > 0 returning row');
    this.#spare = this.#db.prepare('insert or ignore into spared (key, plain) values (?, ?)');
    this.#findSpared = this.#db.prepare('select 1 from spared where key = ?');
  }

  /** How many the target has not had yet. */
  get left(): number {
    return (this.#db.prepare('select coalesce(sum(n), 0) as n from source').get() as { n: number }).n;
  }

  add(rows: readonly Row[]): void {
    for (const row of rows) this.#put.run(this.#keyOf(row), JSON.stringify(row));
  }

  /** Keys of rows that cannot be used: what the target has of them stays. */
  spare(keys: readonly Row[]): void {
    for (const key of keys) {
      const row = this.#fields.map((_, place) => key[this.#keyPlaces.indexOf(place)] ?? null);
      this.#spare.run(this.#keyOf(row), JSON.stringify(key));
    }
  }

  /** The same keys as they were given. */
  *sparedKeys(): Generator<Row> {
    for (const { plain } of this.#db.prepare('select plain from spared').iterate()) yield JSON.parse(plain as string) as Row;
  }

  *all(): Generator<Row> {
    for (const { row } of this.#db.prepare('select row from source').iterate()) yield JSON.parse(row as string) as Row;
  }

  isSpared(row: Row): boolean {
    return this.#findSpared.get(this.#keyOf(row)) !== undefined;
  }

  /** The row of the source that has the key of one of the target; each is answered once. */
  take(row: Row): Row | undefined {
    const found = this.#take.get(this.#keyOf(row)) as { row: string } | undefined;
    return found && (JSON.parse(found.row) as Row);
  }

  isSame(before: Row, after: Row): boolean {
    return this.#fields.every(({ type }, at) => isSameValue(type, before[at] ?? null, after[at] ?? null));
  }

  /** Some of those that the target does not have. */
  samplesLeft(): ChangeSample[] {
    const rows = this.#db.prepare('select row from source where n > 0 limit ?').all(SAMPLES) as { row: string }[];
    return rows.map(({ row }) => this.sample('insert', null, JSON.parse(row) as Row));
  }

  sample(change: ChangeSample['change'], before: Row | null, after: Row | null): ChangeSample {
    const shown = (row: Row) => this.#fields.map(({ name, type }, at) => [name, shownValue(type, row[at] ?? null)] as const);
    const byName = (row: Row | null) => row && Object.fromEntries(shown(row));
    const values = shown(after ?? before ?? []);
    const key = Object.fromEntries(this.#keyPlaces.flatMap((place) => [values[place] ?? []]));
    return { change, key: this.#keyPlaces.length > 0 ? key : null, before: byName(before), after: byName(after) };
  }

  /** Asks the target for these rows only, when they are few. */
  keysAsFilter([first, ...more]: readonly string[]): Filter[] | undefined {
    const place = this.#keyPlaces[0];
    if (first === undefined || more.length > 0 || place === undefined || this.left > MOST_LOOKED_UP) return undefined;
    const rows = this.#db.prepare('select row from source').all() as { row: string }[];
    return [{ field: first, op: 'in', value: rows.map(({ row }) => (JSON.parse(row) as Row)[place] ?? '') }];
  }

  close(): void {
    this.#db.close();
  }

  #keyOf(row: Row): string {
    const places = this.#keyPlaces.length > 0 ? this.#keyPlaces : this.#fields.map((_, at) => at);
    return JSON.stringify(places.map((place) => comparable(this.#fields[place]?.type ?? 'text', row[place] ?? null)));
  }
}

function isSameValue(type: Field['type'], before: string | null, after: string | null): boolean {
  return before === after || comparable(type, before) === comparable(type, after);
}
