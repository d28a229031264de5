import { createHash } from 'node:crypto';
import type { Batch, Position, Reject } from '../connectors/batch.ts';
import type { Row } from '../connectors/canonical.ts';
import type { Field } from '../connectors/contract.ts';
import { StreamFailure } from './failure.ts';
import type { Mapped, OutputField } from './mapping/mapping.ts';
import type { KeptReject, RunPorts } from './run.ts';
import { sentence, sentences } from '../lib/sentence.ts';
import { shownValue } from '../connectors/shown-values.ts';

/** A stream of which so many rows are refused has another fault than its rows. */
const MOST_REJECTS = 10_000;

interface Options {
  readonly ports: RunPorts;
  /** The stream's place in the definition. */
  readonly index: number;
  readonly stream: string;
  /** The fields that are read, and those of the key among them. */
  readonly fields: readonly Field[];
  readonly key: readonly string[];
  readonly outputs: readonly OutputField[];
  readonly onReject: 'quarantine' | 'fail';
}

/** Rows that cannot be read or written are rejected here, and taken out again when they have been written after all. */
export class Quarantine {
  readonly #options: Options;
  readonly #keyPlaces: readonly number[];
  /** Identities of what is rejected and has a key; undefined when we do not look. */
  #open: Set<string> | undefined;

  constructor(options: Options) {
    this.#options = options;
    this.#keyPlaces = options.key.map((name) => options.fields.findIndex((field) => field.name === name));
  }

  /** Looks up what is rejected, so that `written` can take it out. */
  async watch(): Promise<void> {
    const { ports, index } = this.#options;
    this.#open = new Set();
    for (let after: string | undefined; ; ) {
      const page = await ports.listRejects(index, after);
      for (const { identity, key } of page) if (key !== null) this.#open.add(identity);
      after = page.at(-1)?.identity;
      if (after === undefined) return;
    }
  }

  /** Whether anything that was rejected may have been written since. */
  get isWatching(): boolean {
    return (this.#open?.size ?? 0) > 0;
  }

  /** Whether this row is in it, as far as it was looked up. */
  has(identity: string): boolean {
    return this.#open?.has(identity) === true;
  }

  /** What the reader and the mapping could not use of a batch that begins behind a position. */
  unusable(after: Position | undefined, batch: Batch, mapped: Mapped): KeptReject[] {
    return [
      ...batch.rejects.map((reject, at) => this.#unreadable(after, reject, at)),
      ...mapped.rejects.map((reject) => this.#ofSource(after, batch, reject)),
    ];
  }

  /** What the target refused of a batch: shown is the row of the source that it was made of. */
  refused(after: Position | undefined, batch: Batch, { origin }: Mapped, rejects: readonly Reject[]): KeptReject[] {
    return rejects.map((reject) => {
      const place = reject.index === undefined || !origin ? reject.index : origin[reject.index];
      return place === undefined ? this.#ofTarget(reject) : this.#ofSource(after, batch, { ...reject, index: place });
    });
  }

  /** What the target refused at the very end, when only its own rows are left to tell of. */
  refusedAtEnd(rejects: readonly Reject[]): KeptReject[] {
    return rejects.map((reject) => this.#ofTarget(reject));
  }

  /** A row that a log tells of, and that cannot be used; the values of its key are known. */
  ofKey(key: readonly (string | null)[], reject: Reject): KeptReject {
    return { ...reject, ...this.#known(key, [key, reject.row]), unreadable: true };
  }

  /** Keeps them; gives the stream up when that is what the definition wants, or when it is no use going on. */
  async keep(rejects: readonly KeptReject[], before: number): Promise<void> {
    const { ports, index, onReject, stream } = this.#options;
    const [first] = rejects;
    if (!first) return;
    await ports.keepRejects(index, rejects);
    for (const { identity, key } of rejects) if (key !== null) this.#open?.add(identity);
    const reason = first.field === undefined ? first.reason : `${first.field}: ${first.reason}`;
    if (onReject === 'fail')
      throw new StreamFailure({
        kind: 'data',
        code: 'ROW_REJECTED',
        message: sentence(`A row of "${stream}" was refused: ${reason}`),
        hint: 'Correct the row, or set on_reject to quarantine so that such rows are rejected and the others go on.',
      });
    demandFewRejects(stream, before + rejects.length, reason);
  }

  /** Takes out what has now been written, or is gone. */
  async written(batch: Batch, rejects: readonly KeptReject[]): Promise<void> {
    if (!this.#open?.size || this.#options.key.length === 0) return;
    const again = new Set(rejects.map(({ identity }) => identity));
    const places = batch.operation === 'delete' ? this.#keyPlaces.map((_, at) => at) : this.#keyPlaces;
    const done = batch.rows.map((row) => identityOfKey(places.map((place) => row[place] ?? null)));
    await this.takeOut(done.filter((identity) => !again.has(identity)));
  }

  /** Takes out those of these that are in it: they have been written, or are gone. */
  async takeOut(identities: readonly string[]): Promise<void> {
    const done = identities.filter((identity) => this.#open?.has(identity));
    if (done.length === 0) return;
    await this.#options.ports.resolveRejects(this.#options.index, done);
    for (const identity of done) this.#open?.delete(identity);
  }

  /** The identity that a row of the source would have here; undefined for a stream without a key. */
  identityOf(row: Row): string | undefined {
    return this.#keyPlaces.length === 0 ? undefined : identityOfKey(this.#keyPlaces.map((place) => row[place] ?? null));
  }

  #unreadable(after: Position | undefined, reject: Reject, at: number): KeptReject {
    return { ...reject, identity: digest([after, at, reject.row]), key: null, unreadable: true };
  }

  #ofSource(after: Position | undefined, batch: Batch, reject: Reject): KeptReject {
    const values = batch.rows[reject.index ?? -1] ?? [];
    const { key, fields } = this.#options;
    const isDelete = batch.operation === 'delete';
    const names = isDelete ? key : fields.map(({ name }) => name);
    const read = Object.fromEntries(names.map((name, at) => [name, values[at] ?? null]));
    const found = isDelete ? values : this.#keyPlaces.map((place) => values[place] ?? null);
    // Without a key, rows are told apart by where they were read: two that are equal are two.
    return { ...reject, row: shownRow(read, fields), ...this.#known(found, [after, reject.index, read]), unreadable: false };
  }

  #ofTarget(reject: Reject): KeptReject {
    const { fields, outputs } = this.#options;
    const sourceOf = (name: string): string | undefined =>
      outputs.find(({ from }) => from !== undefined && fields[from]?.name === name)?.to;
    const key = this.#options.key.map((name) => reject.row[sourceOf(name) ?? ''] ?? null) as (string | null)[];
    // The row is one of the target's: by its key it can be read again, but it is no row of the source itself.
    const written = outputs.map(({ to: name, type }) => ({ name, type }));
    return {
      ...reject,
      row: shownRow(reject.row, written),
      ...this.#known(key, reject.row),
      unreadable: key.length === 0 || key.includes(null),
    };
  }

  /** A key that is not whole tells no rows apart. */
  #known(key: readonly (string | null)[], otherwise: unknown): Pick<KeptReject, 'identity' | 'key'> {
    const isWhole = key.length > 0 && !key.includes(null);
    const shown = key.map((value, at) => shownValue(this.#options.fields[this.#keyPlaces[at] ?? -1]?.type ?? 'text', value));
    return {
      identity: isWhole ? identityOfKey(key) : digest(otherwise),
      key: key.length === 0 ? null : JSON.stringify(shown),
    };
  }
}

/** The row as it is rejected. What tells it apart is made of the values themselves. */
function shownRow(row: Reject['row'], fields: readonly Pick<Field, 'name' | 'type'>[]): Reject['row'] {
  const types = new Map(fields.map(({ name, type }) => [name, type]));
  const shown = Object.entries(row).map(([name, value]) => {
    const type = types.get(name);
    return [name, type !== undefined && typeof value === 'string' ? shownValue(type, value) : value];
  });
  return Object.fromEntries(shown);
}

/** Throws when a stream had better be given up. */
export function demandFewRejects(stream: string, rejects: number, reason?: string): void {
  if (rejects <= MOST_REJECTS) return;
  throw new StreamFailure({
    kind: 'data',
    code: 'TOO_MANY_REJECTS',
    message: sentences([`More than ${MOST_REJECTS} rows of "${stream}" were refused`, reason && `The last one: ${reason}`]),
    hint: 'So many point to the definition: look at the rejects, correct the fields, casts or the target, and run again.',
  });
}

/** What a row of the source is known by here: its key, as the source spells it. */
export function identityOfKey(key: readonly (string | null)[]): string {
  return digest(key);
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url');
}
