import { copyFile, constants, rm } from 'node:fs/promises';
import type { Batch } from '../batch.ts';
import type { Row } from '../canonical.ts';
import type { Changes, Context, Field, Writer, WriteRequest, WriteResult } from '../contract.ts';
import { aborted, codeOf, ConnectorError } from '../errors.ts';
import { encodeRows } from '../lines.ts';
import { fileError } from '../roots.ts';
import { type Comparison, compareRows } from './compare.ts';
import type { FilesConfig } from './manifest.ts';
import { type Existing, existingFile, mergedFields } from './existing.ts';
import { fileBytes, writeFile } from './pack.ts';
import { type Digits, widenDigits } from './parquet-write.ts';
import { remember } from './remembered.ts';
import { refuse } from './refuse.ts';
import { Stage } from './stage.ts';
import { type Target, targetOf } from './target.ts';

const MARK: Field = { name: '_deleted_at', type: 'timestamptz', nullable: true };
const NO_DIGITS: Digits = new Map();
const NOTHING: Changes = { inserted: 0, updated: 0, unchanged: 0, deleted: 0 };

/** Opens a stream for writing: rows are collected, and become a file when the work is finished. */
export async function openWriter(config: FilesConfig, context: Context, request: WriteRequest, signal: AbortSignal): Promise<Writer> {
  const { mode, fields, owner, token } = request;
  if (mode === 'upsert')
    throw new ConnectorError('config', 'MODE_UNSUPPORTED', 'Rows of a file cannot be changed one by one.', {
      field: 'mode',
      hint: 'Use mirror, which writes the file anew, or append.',
    });
  if (fields.length === 0) throw new ConnectorError('config', 'FIELDS_MISSING', 'A file needs at least one field.', { field: 'fields' });
  for (const name of request.key) {
    if (!fields.some((field) => field.name === name))
      throw new ConnectorError('config', 'FIELD_MISSING', `The key "${name}" is not among the fields.`, { field: 'key' });
  }
  const target = await targetOf(config, context, request, signal);
  const existing = await existingFile(config, context, target, signal);
  if (!request.create && existing) demandFields(request, existing);
  // Fields first, so that what is collected fits what is asked for now.
  const stage = await inWords(request.stream, () => Stage.open(target.path, { owner, token, mode, fields }));
  return new FileWriter(config, context, request, target, stage, signal);
}

function demandFields({ fields, stream }: WriteRequest, existing: Existing): void {
  const names = existing.names ?? existing.fields.map((field) => field.name);
  const missing = fields.find((field) => !names.includes(field.name));
  if (missing)
    throw new ConnectorError('config', 'FIELD_MISSING', `The stream "${stream}" has no field "${missing.name}".`, {
      hint: 'Let the synchronization add fields, or leave this one out.',
    });
}

class FileWriter implements Writer {
  readonly checkpoint: string | undefined;
  readonly #config: FilesConfig;
  readonly #context: Context;
  readonly #request: WriteRequest;
  readonly #target: Target;
  readonly #stage: Stage;
  readonly #signal: AbortSignal;

  constructor(config: FilesConfig, context: Context, request: WriteRequest, target: Target, stage: Stage, signal: AbortSignal) {
    this.#config = config;
    this.#context = context;
    this.#request = request;
    this.#target = target;
    this.#stage = stage;
    this.#signal = signal;
    this.checkpoint = stage.position;
  }

  async write(batch: Batch): Promise<WriteResult> {
    return inWords(this.#request.stream, () => this.#collect(batch));
  }

  async finish(approve?: (changes: Changes) => boolean | Promise<boolean>): Promise<WriteResult & { refused?: boolean }> {
    return inWords(this.#request.stream, () => this.#finish(approve));
  }

  async close(): Promise<void> {
    await this.#stage.close();
  }

  async #collect(batch: Batch): Promise<WriteResult> {
    if (this.#signal.aborted) throw aborted();
    if (batch.operation === 'delete')
      throw new ConnectorError('config', 'DELETES_UNSUPPORTED', 'Rows of a file cannot be removed one by one.', {
        hint: 'Use mirror, which writes the file anew without the rows that are gone.',
      });
    const { mode, fields, key } = this.#request;
    const { good, rejects } = refuse(batch.rows, fields, mode === 'mirror' ? key : [], this.#target.reading);
    const lines = rejects.length === 0 ? batch.lines : encodeRows(good);
    const digits = this.#target.reading.format === 'parquet' ? widenDigits(this.#stage.digits, fields, good) : NO_DIGITS;
    await this.#stage.add(lines, good.length, batch.position, digits);
    return { ...NOTHING, inserted: mode === 'append' ? good.length : 0, rejects };
  }

  async #finish(approve?: (changes: Changes) => boolean | Promise<boolean>): Promise<WriteResult & { refused?: boolean }> {
    if (this.#signal.aborted) throw aborted();
    await this.#stage.demandOurs();
    const existing = await existingFile(this.#config, this.#context, this.#target, this.#signal);
    return this.#request.mode === 'mirror' ? this.#mirror(existing, approve) : this.#append(existing);
  }

  async #append(existing: Existing | undefined): Promise<WriteResult> {
    const { fields, key } = this.#request;
    if (this.#stage.rows === 0 && existing) {
      await this.#stage.forget(true);
      return { ...NOTHING, rejects: [] };
    }
    const all = existing ? mergedFields(existing, fields) : fields;
    const arranged = inOrder(this.#stage.collected(), fields, all);
    const final = this.#stage.scratch;
    if (existing?.canGrow(all)) {
      await copyFile(this.#target.path, final, constants.COPYFILE_FICLONE);
      const { reading } = existing;
      const behind = fileBytes(reading, all, NO_DIGITS, arranged, true);
      await writeFile(final, existing.endsLine ? behind : withLineEnd(behind, existing), this.#signal);
      await this.#publish(final, all, key, reading, existing);
    } else {
      const old = existing ? existing.rows(all, true) : none();
      const digits = existing ? await existing.digits(all, this.#stage.digits) : this.#stage.digits;
      await writeFile(final, fileBytes(this.#target.reading, all, digits, joined(old, arranged)), this.#signal);
      await this.#publish(final, all, key, this.#target.reading, existing);
    }
    return { ...NOTHING, rejects: [] };
  }

  async #mirror(
    existing: Existing | undefined,
    approve?: (changes: Changes) => boolean | Promise<boolean>,
  ): Promise<WriteResult & { refused?: boolean }> {
    const { fields, key, deletes = 'delete' } = this.#request;
    const all = deletes === 'mark' && !fields.some((field) => field.name === MARK.name) ? [...fields, MARK] : fields;
    const markAt = all.findIndex((field) => field.name === MARK.name);
    const young = (): AsyncIterable<Row[]> => inOrder(this.#stage.collected(), fields, all);
    const old = (mustBeWhole: boolean): AsyncIterable<readonly Row[]> => (existing ? existing.rows(all, mustBeWhole) : none());
    const isMarked = deletes === 'mark' ? (row: Row): boolean => row[markAt] !== null : undefined;
    const comparison = await compareRows(
      { rows: old(deletes !== 'delete'), ...(isMarked && { isMarked }) },
      { rows: young() },
      all,
      key,
      this.#stage.scratch,
    );
    const { inserted, updated, unchanged } = comparison;
    const changes: Changes = { inserted, updated, unchanged, deleted: deletes === 'keep' ? 0 : comparison.deleted };
    if (approve && !(await approve({ ...changes }))) {
      await this.#stage.forget(false);
      return { ...NOTHING, rejects: [], refused: true };
    }
    if (this.#signal.aborted) throw aborted();
    const now = new Date().toISOString().replace('T', ' ').replace('Z', '+00');
    const kept = deletes === 'delete' ? none() : goneRows(old(true), comparison, markAt, deletes === 'mark' ? now : undefined);
    const rows = joined(withoutSuperseded(young(), comparison), kept);
    const digits = existing && deletes !== 'delete' ? await existing.digits(all, this.#stage.digits) : this.#stage.digits;
    const final = this.#stage.scratch;
    await writeFile(final, fileBytes(this.#target.reading, all, digits, rows), this.#signal);
    await this.#publish(final, all, key, this.#target.reading, undefined);
    return { ...changes, rejects: [] };
  }

  async #publish(
    final: string,
    fields: readonly Field[],
    key: readonly string[],
    reading: Target['reading'],
    existing: Existing | undefined,
  ): Promise<void> {
    if (this.#signal.aborted) {
      await rm(final, { force: true });
      throw aborted();
    }
    // What another program has written is not ours to describe.
    const isOurs = !existing || existing.isRemembered;
    if (isOurs) await remember(this.#target.path, final, { fields, key: existing?.key ?? key, reading });
    await this.#stage.publish(final);
  }
}

/** What the system says about a file that cannot be written: a full disk, missing rights. */
async function inWords<T>(stream: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw /^E[A-Z]+$/.test(codeOf(error) ?? '') ? fileError(error, stream) : error;
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

async function* goneRows(
  batches: AsyncIterable<readonly Row[]>,
  { gone }: Comparison,
  markAt: number,
  now: string | undefined,
): AsyncGenerator<Row[]> {
  let number = 0;
  for await (const rows of batches) {
    const kept = rows.filter(() => gone.has(number++));
    yield now === undefined ? kept : kept.map((row) => row.map((value, at) => (at === markAt ? (value ?? now) : value)));
  }
}

async function* withLineEnd(chunks: AsyncIterable<Buffer>, existing: Existing): AsyncGenerator<Buffer> {
  yield* existing.lineEnd();
  yield* chunks;
}
