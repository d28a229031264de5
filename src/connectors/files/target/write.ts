import type { Batch } from '../../batch.ts';
import type { Row } from '../../canonical.ts';
import type { Changes, Field, Settle, Writer, WriteRequest, WriteResult } from '../../contract.ts';
import { aborted, codeOf, OutsideError } from '../../../outside/errors.ts';
import { encodeRows } from '../../lines.ts';
import { fileError } from '../../../outside/file-errors.ts';
import { MARK } from '../../marks.ts';
import { sparedKeys } from '../../spared.ts';
import { type Comparison, compareRows } from './compare.ts';
import type { FilesConfig } from '../manifest.ts';
import { type Existing, existingFile, mergedFields } from './existing.ts';
import { fileBytes } from './pack.ts';
import { type Digits, widenDigits } from '../../../lib/parquet-writer.ts';
import { remember } from '../source/remembered.ts';
import type { Whereabouts } from '../source/streams.ts';
import { refuse } from './refuse.ts';
import { type Annotation, type Final, Stage } from './stage.ts';
import { type TargetFile, targetOf } from './target.ts';

type Approve = NonNullable<Parameters<Writer['finish']>[0]>;

const NO_DIGITS: Digits = new Map();
const NOTHING: Changes = { inserted: 0, updated: 0, unchanged: 0, deleted: 0 };

/** Opens a stream for writing: rows are collected, and become a file when the work is finished. */
export async function openWriter(config: FilesConfig, where: Whereabouts, request: WriteRequest, signal: AbortSignal): Promise<Writer> {
  const { mode, fields } = request;
  if (mode === 'upsert')
    throw new OutsideError('config', 'MODE_UNSUPPORTED', 'Rows of a file cannot be changed one by one.', {
      field: 'mode',
      hint: 'Use mirror, which writes the file anew, or append.',
    });
  if (fields.length === 0) throw new OutsideError('config', 'FIELDS_MISSING', 'A file needs at least one field.', { field: 'fields' });
  for (const name of request.key) {
    if (!fields.some((field) => field.name === name))
      throw new OutsideError('config', 'FIELD_MISSING', `The key "${name}" is not among the fields.`, { field: 'key' });
  }
  const target = await targetOf(config, where, request, signal);
  try {
    const existing = await existingFile(config, where.place, target, signal);
    if (!request.create && existing) demandFields(request, existing);
    // Fields first, so that what is collected fits what is asked for now.
    const stage = await inWords(request.stream, () => Stage.open(target, request));
    return new FileWriter(config, where, request, target, stage, signal);
  } catch (error) {
    target.at.close();
    throw error;
  }
}

function demandFields({ fields, stream }: WriteRequest, existing: Existing): void {
  const names = existing.names ?? existing.fields.map((field) => field.name);
  const missing = fields.find((field) => !names.includes(field.name));
  if (missing)
    throw new OutsideError('config', 'FIELD_MISSING', `The stream "${stream}" has no field "${missing.name}".`, {
      hint: 'Let the synchronization add fields, or leave this one out.',
    });
}

class FileWriter implements Writer {
  readonly checkpoint: string | undefined;
  readonly note: string | undefined;
  readonly #config: FilesConfig;
  readonly #where: Whereabouts;
  readonly #request: WriteRequest;
  readonly #target: TargetFile;
  readonly #stage: Stage;
  readonly #signal: AbortSignal;
  #isClosed = false;
  /** What is under way. */
  #work: Promise<unknown> | undefined;

  constructor(config: FilesConfig, where: Whereabouts, request: WriteRequest, target: TargetFile, stage: Stage, signal: AbortSignal) {
    this.#config = config;
    this.#where = where;
    this.#request = request;
    this.#target = target;
    this.#stage = stage;
    this.#signal = signal;
    this.checkpoint = stage.position;
    this.note = stage.note;
  }

  async write(batch: Batch, settle?: Settle): Promise<WriteResult> {
    return this.#busyWith(inWords(this.#request.stream, (ask) => this.#collect(batch, settle && ((result) => ask(() => settle(result))))));
  }

  async finish(approve?: Approve, settle?: Settle): Promise<WriteResult & { refused?: boolean }> {
    return this.#busyWith(
      inWords(this.#request.stream, (ask) =>
        this.#finish(approve && ((changes) => ask(() => approve(changes))), settle && ((result) => ask(() => settle(result)))),
      ),
    );
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#stage.rest();
    // A folder that is let go of while something is still under way in it would leave its paths to whatever is opened next.
    const letGo = (): void => {
      this.#stage.close();
      this.#target.at.close();
    };
    if (this.#work === undefined) letGo();
    else void this.#work.then(letGo, letGo);
  }

  #busyWith<T>(work: Promise<T>): Promise<T> {
    const settled = Promise.allSettled([this.#work, work]);
    this.#work = settled;
    void settled.then(() => {
      if (this.#work === settled) this.#work = undefined;
    });
    return work;
  }

  async #collect(batch: Batch, settle?: Settle): Promise<WriteResult> {
    if (this.#signal.aborted) throw aborted();
    const { mode, fields, key, deletes } = this.#request;
    if (batch.operation === 'delete' && deletes !== 'keep')
      throw new OutsideError('config', 'DELETES_UNSUPPORTED', 'Rows of a file cannot be removed one by one.', {
        hint: 'Use mirror, which writes the file anew without the rows that are gone, or let them be kept.',
      });
    const rows = batch.operation === 'delete' ? [] : batch.rows;
    const { good, rejects } = refuse(rows, fields, mode === 'mirror' ? key : [], this.#target.reading);
    const lines = rejects.length === 0 && rows === batch.rows ? batch.lines : encodeRows(good);
    const digits = this.#target.reading.format === 'parquet' ? widenDigits(this.#stage.digits, fields, good) : NO_DIGITS;
    const result = { ...NOTHING, inserted: mode === 'append' ? good.length : 0, rejects };
    const spared = encodeRows(sparedKeys(this.#request, batch, rejects));
    await this.#stage.add({ lines, spared, rows: good.length, position: batch.position, digits }, () => settle?.(result));
    return result;
  }

  async #finish(approve?: Approve, settle?: Settle): Promise<WriteResult & { refused?: boolean }> {
    if (this.#signal.aborted) throw aborted();
    await this.#stage.demandOurs();
    const existing = await existingFile(this.#config, this.#where.place, this.#target, this.#signal);
    return this.#request.mode === 'mirror' ? this.#mirror(existing, approve, settle) : this.#append(existing, settle);
  }

  async #append(existing: Existing | undefined, settle?: Settle): Promise<WriteResult> {
    const { fields, key } = this.#request;
    const result = { ...NOTHING, rejects: [] };
    const annotate = (): Annotation => settle?.(result);
    if (this.#stage.rows === 0 && existing) {
      await this.#stage.demandOurs();
      await this.#stage.publishNothing(await annotate());
      return result;
    }
    const all = existing ? mergedFields(existing, fields) : fields;
    const arranged = inOrder(this.#stage.collected(), fields, all);
    if (existing?.canGrow(all)) {
      const { reading } = existing;
      const behind = fileBytes(reading, all, NO_DIGITS, arranged, true);
      const final = await this.#stage.make(existing.endsLine ? behind : withLineEnd(behind, existing), true, this.#signal);
      await this.#publish(final, { fields: all, key, reading }, existing, annotate);
    } else {
      const old = existing ? existing.rows(all, true) : none();
      const digits = existing ? await existing.digits(all, this.#stage.digits) : this.#stage.digits;
      const bytes = fileBytes(this.#target.reading, all, digits, joined(old, arranged));
      const final = await this.#stage.make(bytes, false, this.#signal);
      await this.#publish(final, { fields: all, key, reading: this.#target.reading }, existing, annotate);
    }
    return result;
  }

  async #mirror(existing: Existing | undefined, approve?: Approve, settle?: Settle): Promise<WriteResult & { refused?: boolean }> {
    const { fields, key, deletes = 'delete' } = this.#request;
    const all = deletes === 'mark' && !fields.some((field) => field.name === MARK.name) ? [...fields, MARK] : fields;
    const markAt = all.findIndex((field) => field.name === MARK.name);
    const young = (): AsyncIterable<Row[]> => inOrder(this.#stage.collected(), fields, all);
    const old = (mustBeWhole: boolean): AsyncIterable<readonly Row[]> => (existing ? existing.rows(all, mustBeWhole) : none());
    const isMarked = deletes === 'mark' ? (row: Row): boolean => row[markAt] !== null : undefined;
    // Then a row of the old file that cannot be read is one that might get lost.
    const staysInPart = deletes !== 'delete' || this.#stage.hasSpared;
    const comparison = await compareRows(
      { rows: old(staysInPart), ...(isMarked && { isMarked }) },
      { rows: young() },
      this.#stage.spared(),
      all,
      key,
      this.#stage.scratch(),
    );
    const { inserted, updated, unchanged } = comparison;
    const changes: Changes = { inserted, updated, unchanged, deleted: deletes === 'keep' ? 0 : comparison.deleted };
    // What was collected stays: after a later approval nothing has to be read again.
    if (approve && !(await approve({ ...changes }))) return { ...NOTHING, rejects: [], refused: true };
    if (this.#signal.aborted) throw aborted();
    const now = new Date().toISOString().replace('T', ' ').replace('Z', '+00');
    const change = (row: Row): Row => (deletes === 'mark' ? row.map((value, at) => (at === markAt ? (value ?? now) : value)) : row);
    const kept = staysInPart ? keptRows(old(true), comparison, deletes === 'delete' ? undefined : change) : none();
    const rows = joined(withoutSuperseded(young(), comparison), kept);
    const digits = existing && staysInPart ? await existing.digits(all, this.#stage.digits) : this.#stage.digits;
    const final = await this.#stage.make(fileBytes(this.#target.reading, all, digits, rows), false, this.#signal);
    const result = { ...changes, rejects: [] };
    await this.#publish(final, { fields: all, key, reading: this.#target.reading }, undefined, () => settle?.(result));
    return result;
  }

  async #publish(
    final: Final,
    { fields, key, reading }: { fields: readonly Field[]; key: readonly string[]; reading: TargetFile['reading'] },
    existing: Existing | undefined,
    annotate: () => Annotation,
  ): Promise<void> {
    await this.#stage.demandOurs();
    let note: string | undefined;
    try {
      note = await annotate();
      if (this.#signal.aborted) throw aborted();
    } catch (error) {
      await this.#stage.drop(final);
      throw error;
    }
    // What another program has written is not ours to describe.
    const isOurs = !existing || existing.isRemembered;
    if (isOurs) await remember(this.#target.at, this.#target.name, final.stamp, { fields, key: existing?.key ?? key, reading });
    await this.#stage.publish(final, note);
  }
}

type Ask = <T>(question: () => T | Promise<T>) => Promise<T>;

/**
 * What the system says about a file that cannot be written: a full disk, missing rights. An error of a caller that is asked on the way
 * stays in its own words.
 */
async function inWords<T>(stream: string, work: (ask: Ask) => Promise<T>): Promise<T> {
  const theirs: unknown[] = [];
  const ask: Ask = async (question) => {
    try {
      return await question();
    } catch (error) {
      theirs.push(error);
      throw error;
    }
  };
  try {
    return await work(ask);
  } catch (error) {
    throw /^E[A-Z]+$/.test(codeOf(error) ?? '') && !theirs.includes(error) ? fileError(error, stream) : error;
  }
}

async function* none(): AsyncGenerator<Row[]> {}

async function* joined(...parts: AsyncIterable<readonly Row[]>[]): AsyncGenerator<readonly Row[]> {
  for (const part of parts) yield* part;
}

/** Rows with their values where another list of fields has them; null where they have none. */
async function* inOrder(batches: AsyncIterable<readonly Row[]>, from: readonly Field[], to: readonly Field[]): AsyncGenerator<Row[]> {
  const places = to.map((field) => from.findIndex((other) => other.name === field.name));
  const isSame = places.length === from.length && places.every((place, at) => place === at);
  for await (const rows of batches) yield isSame ? [...rows] : rows.map((row) => places.map((place) => row[place] ?? null));
}

async function* withoutSuperseded(batches: AsyncIterable<Row[]>, { superseded }: Comparison): AsyncGenerator<Row[]> {
  let number = 0;
  for await (const rows of batches) yield superseded.isEmpty ? rows : rows.filter(() => !superseded.has(number++));
}

/** The old rows that stay: those that are to be left alone, and those that are gone, changed or not; unless these go. */
async function* keptRows(
  batches: AsyncIterable<readonly Row[]>,
  { gone, spared }: Comparison,
  change: ((row: Row) => Row) | undefined,
): AsyncGenerator<Row[]> {
  let number = 0;
  for await (const rows of batches) {
    const kept: Row[] = [];
    for (const row of rows) {
      if (spared.has(number)) kept.push(row);
      else if (change && gone.has(number)) kept.push(change(row));
      number++;
    }
    yield kept;
  }
}

async function* withLineEnd(chunks: AsyncIterable<Buffer>, existing: Existing): AsyncGenerator<Buffer> {
  yield* existing.lineEnd();
  yield* chunks;
}
