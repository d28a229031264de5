import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, open, readdir, rename, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import type { WriteRequest } from '../../contract.ts';
import { codeOf, fenced, OutsideError } from '../../../outside/errors.ts';
import { decodeRows } from '../../lines.ts';
import type { Row } from '../../canonical.ts';
import { fileError, folderError } from '../../../outside/file-errors.ts';
import type { Digits } from '../parquet/write.ts';
import type { Folder } from '../../../outside/roots.ts';
import { KEPT_FOLDER } from '../../../outside/own-places.ts';
import { readAndClose, syncFolder, writeSafely } from './safe-write.ts';
import { readState, type Segment, type StageState } from './stage-state.ts';
import type { TargetFile } from './target.ts';

/** What is to be noted; undefined leaves the note as it is. */
export type Annotation = string | undefined | Promise<string | undefined>;

interface OpenSegment {
  readonly name: string;
  readonly handle: FileHandle;
}

/** What a batch adds: lines of rows and of spared keys. */
interface Collected {
  readonly lines: Buffer;
  readonly spared: Buffer;
  readonly rows: number;
  readonly position: string;
  readonly digits: Digits;
}

const PORTION = 1024 * 1024;

/**
 * Rows that wait for their file. They are collected beside the target, each batch with its position, and can be taken up by
 * another writer of the same owner. Every token has a state file of its own, the highest one counts: so that a writer that
 * was asleep can neither change what counts now, nor finish.
 */
export class StageFolder {
  /** What is kept beside the target: for all files there, and for this work. */
  readonly own: Folder;
  readonly #folder: Folder;
  readonly #target: TargetFile;
  readonly #token: bigint;
  #state: StageState;
  /** The files that are being added to: for rows, and for keys. */
  readonly #open: { rows?: OpenSegment; spared?: OpenSegment } = {};

  private constructor(own: Folder, folder: Folder, target: TargetFile, token: bigint, state: StageState) {
    this.own = own;
    this.#folder = folder;
    this.#target = target;
    this.#token = token;
    this.#state = state;
  }

  /** Takes over what there is, with our token. */
  static async open(target: TargetFile, request: WriteRequest): Promise<StageFolder> {
    const hash = createHash('sha256').update(`${request.owner}\0${target.name}`).digest('hex').slice(0, 24);
    const own = await madeIn(target.folder, KEPT_FOLDER, target.name);
    let folder: Folder | undefined;
    try {
      folder = await madeIn(own, hash, target.name);
      return await StageFolder.#takeOver(own, folder, target, request);
    } catch (error) {
      folder?.close();
      own.close();
      throw error;
    }
  }

  static async #takeOver(own: Folder, folder: Folder, target: TargetFile, request: WriteRequest): Promise<StageFolder> {
    const { owner, token, mode, fields, resume } = request;
    const tokens = await tokensIn(folder);
    const highest = tokens.at(-1);
    if (highest !== undefined && highest > token) throw fenced();
    const empty: StageState = { owner, file: target.name, mode, fields, segments: [], rows: 0, digits: [] };
    const before = highest === undefined ? undefined : await stateOf(folder, highest);
    const stage = new StageFolder(own, folder, target, token, before ?? empty);
    if (before?.final !== undefined) await stage.#replace(before.final);
    const { note, published } = stage.#state;
    const isSame = before?.mode === mode && JSON.stringify(before.fields) === JSON.stringify(fields);
    if (resume && !resume(note)) stage.#state = empty;
    // What was collected with other fields or for another purpose cannot be gone on with.
    else if (!isSame)
      stage.#state = { ...empty, published, position: mode === 'append' ? published?.position : undefined, note: published?.note };
    await stage.#save();
    await stage.#tidy();
    return stage;
  }

  get position(): string | undefined {
    return this.#state.position;
  }

  get note(): string | undefined {
    return this.#state.note;
  }

  get rows(): number {
    return this.#state.rows;
  }

  get hasSpared(): boolean {
    return this.#state.segments.some(({ isSpared }) => isSpared);
  }

  get digits(): Digits {
    return new Map(this.#state.digits);
  }

  /** A name for a file that is being made. */
  get scratch(): string {
    return this.#folder.at(`${this.#token}-${randomBytes(6).toString('hex')}.tmp`);
  }

  /** Throws when a worker with a higher token has taken over. */
  async demandOurs(): Promise<void> {
    const highest = (await tokensIn(this.#folder)).at(-1);
    if (highest === undefined || highest > this.#token) throw fenced();
  }

  /** Adds lines with the position behind them and what is noted then. When it resolves, all is on the disk. */
  async add(batch: Collected, annotate: () => Annotation): Promise<void> {
    const { lines, spared, rows, position, digits } = batch;
    await this.demandOurs();
    let { segments } = this.#state;
    if (lines.length > 0) segments = await this.#append(segments, (this.#open.rows ??= await this.#newSegment()), lines);
    if (spared.length > 0) segments = await this.#append(segments, (this.#open.spared ??= await this.#newSegment()), spared, true);
    const note = (await annotate()) ?? this.#state.note;
    await this.#save({ ...this.#state, segments, position, note, digits: [...digits], rows: this.#state.rows + rows });
  }

  /** Puts lines behind those of a segment that count; the answer is what counts now. */
  async #append(segments: readonly Segment[], { name, handle }: OpenSegment, lines: Buffer, isSpared?: true): Promise<Segment[]> {
    const bytes = segments.find((segment) => segment.name === name)?.bytes ?? 0;
    // What a failed attempt left behind the last position is overwritten.
    for (let at = 0; at < lines.length; ) at += (await handle.write(lines, at, lines.length - at, bytes + at)).bytesWritten;
    await handle.datasync();
    return [...segments.filter((segment) => segment.name !== name), { name, bytes: bytes + lines.length, isSpared }];
  }

  async #newSegment(): Promise<OpenSegment> {
    const name = `${this.#token}-${randomBytes(6).toString('hex')}.lines`;
    return { name, handle: await open(this.#folder.at(name), 'wx', 0o600) };
  }

  /** The collected rows, in portions. */
  collected(): AsyncGenerator<Row[]> {
    return this.#rowsOf(this.#state.segments.filter(({ isSpared }) => !isSpared));
  }

  /** The keys of rows that could not be used. */
  spared(): AsyncGenerator<Row[]> {
    return this.#rowsOf(this.#state.segments.filter(({ isSpared }) => isSpared));
  }

  async *#rowsOf(segments: readonly Segment[]): AsyncGenerator<Row[]> {
    for (const { name, bytes } of segments) {
      const handle = await this.#folder.open(name);
      try {
        let rest = Buffer.alloc(0);
        for (let at = 0; at < bytes; ) {
          const chunk = Buffer.allocUnsafeSlow(Math.min(PORTION, bytes - at));
          const { bytesRead } = await handle.read(chunk, 0, chunk.length, at);
          if (bytesRead === 0)
            throw new OutsideError('transient', 'STAGE_LOST', `The rows collected for "${this.#state.file}" are cut off.`);
          at += bytesRead;
          const lines = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
          const end = lines.lastIndexOf(0x0a) + 1;
          rest = Buffer.from(lines.subarray(end));
          if (end > 0) yield decodeRows(lines.subarray(0, end));
        }
      } finally {
        await handle.close();
      }
    }
  }

  /** Puts a finished file in the place of the target, in one step, and forgets the rows. */
  async publish(final: string, note = this.#state.note): Promise<void> {
    await this.demandOurs();
    await this.#save({ ...this.#state, note, final: basename(final) });
    await this.#replace(basename(final));
    await this.#save();
    await this.#tidy();
  }

  /** There were no rows: the file stays as it is. */
  async publishNothing(note = this.#state.note): Promise<void> {
    await this.demandOurs();
    await this.closeSegments();
    await this.#save(asPublished({ ...this.#state, note }));
    await this.#tidy();
  }

  close(): void {
    this.#folder.close();
    this.own.close();
  }

  async closeSegments(): Promise<void> {
    for (const kind of ['rows', 'spared'] as const) {
      await this.#open[kind]?.handle.close().catch(() => {});
      delete this.#open[kind];
    }
  }

  async #replace(final: string): Promise<void> {
    try {
      await rename(this.#folder.at(final), this.#target.folder.at(this.#target.name));
      await syncFolder(this.#target.folder.at('.'));
    } catch (error) {
      // Gone: it took its place before the worker that did it could say so.
      if (codeOf(error) !== 'ENOENT') throw fileError(error, this.#target.name);
    }
    await this.closeSegments();
    this.#state = asPublished(this.#state);
  }

  async #save(state: StageState = this.#state): Promise<void> {
    await writeSafely(this.#folder.at(`${this.#token}.json`), JSON.stringify(state), this.#state.file);
    this.#state = state;
  }

  /** Removes what no longer counts: states of lower tokens, and rows that nobody refers to. */
  async #tidy(): Promise<void> {
    const needed = new Set([`${this.#token}.json`, ...this.#state.segments.map((segment) => segment.name)]);
    for (const name of await readdir(this.#folder.at('.'))) {
      const token = BigInt(/^\d+/.exec(name)?.[0] ?? 0);
      if (!needed.has(name) && token <= this.#token) await rm(this.#folder.at(name), { force: true });
    }
  }
}

/** All that was collected is in the file. A mirror begins at the beginning the next time. */
function asPublished(state: StageState): StageState {
  const position = state.mode === 'append' ? state.position : undefined;
  return { ...state, final: undefined, segments: [], rows: 0, digits: [], position, published: { position, note: state.note } };
}

/** A folder in another, made when it is missing, for a file as it is named in words. */
async function madeIn(folder: Folder, name: string, file: string): Promise<Folder> {
  return folder.folder(name, true).catch((error: unknown) => {
    throw error instanceof OutsideError ? error : folderError(error, file);
  });
}

async function tokensIn(folder: Folder): Promise<bigint[]> {
  const names = await readdir(folder.at('.')).catch((error: unknown) => {
    throw fileError(error, basename(folder.path));
  });
  return names.flatMap((name) => (/^\d+\.json$/.test(name) ? [BigInt(name.slice(0, -5))] : [])).sort((a, b) => (a < b ? -1 : 1));
}

async function stateOf(folder: Folder, token: bigint): Promise<StageState | undefined> {
  try {
    return readState(await readAndClose(await folder.open(`${token}.json`)));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error instanceof OutsideError ? error : fileError(error, `${token}.json`);
  }
}
