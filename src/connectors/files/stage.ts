import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Field, WriteMode } from '../contract.ts';
import { codeOf, ConnectorError } from '../errors.ts';
import { decodeRows } from '../lines.ts';
import type { Row } from '../canonical.ts';
import { fileError } from '../roots.ts';
import type { Digits } from './parquet-write.ts';
import { OWN_FOLDER, syncFolder, writeSafely } from './safe-write.ts';

/** What is known of an owner's work on a file, kept beside it. */
interface State {
  readonly owner: string;
  readonly file: string;
  readonly mode: WriteMode;
  readonly fields: readonly Field[];
  /** The position of the last batch that was collected. */
  readonly position?: string | undefined;
  /** The position of the last batch that is in the file itself. */
  readonly published?: string | undefined;
  /** The collected rows, as lines: so much of each of these files counts. */
  readonly segments: readonly { readonly name: string; readonly bytes: number }[];
  readonly rows: number;
  readonly digits: readonly [string, readonly [number, number]][];
  /** The finished file that is about to take its place. When it is gone, it has. */
  readonly final?: string | undefined;
}

const PORTION = 1024 * 1024;

/**
 * Rows that wait for their file. They are collected beside the target, each batch with its position, and can be taken up by
 * another writer of the same owner. Every token has a state file of its own, the highest one counts: so that a writer that
 * was asleep can neither change what counts now, nor finish.
 */
export class Stage {
  readonly #folder: string;
  readonly #target: string;
  readonly #token: bigint;
  #state: State;
  #segment: FileHandle | undefined;

  private constructor(folder: string, target: string, token: bigint, state: State) {
    this.#folder = folder;
    this.#target = target;
    this.#token = token;
    this.#state = state;
  }

  /** Takes over what there is, with our token. */
  static async open(target: string, request: { owner: string; token: bigint; mode: WriteMode; fields: readonly Field[] }): Promise<Stage> {
    const { owner, token, mode, fields } = request;
    const hash = createHash('sha256')
      .update(`${owner}\0${basename(target)}`)
      .digest('hex')
      .slice(0, 24);
    const folder = join(dirname(target), OWN_FOLDER, hash);
    await mkdir(folder, { recursive: true }).catch((error: unknown) => {
      throw fileError(error, basename(target));
    });
    const tokens = await tokensIn(folder);
    const highest = tokens.at(-1);
    if (highest !== undefined && highest > token) throw fenced(basename(target));
    const empty: State = { owner, file: basename(target), mode, fields, segments: [], rows: 0, digits: [] };
    const before = highest === undefined ? undefined : await stateOf(folder, highest);
    const stage = new Stage(folder, target, token, before ?? empty);
    if (before?.final !== undefined) await stage.#replace(before.final);
    const isSame = before?.mode === mode && JSON.stringify(before.fields) === JSON.stringify(fields);
    // What was collected with other fields or for another purpose cannot be gone on with.
    if (!isSame) stage.#state = { ...empty, published: before?.published, position: mode === 'append' ? before?.published : undefined };
    await stage.#save();
    await stage.#tidy();
    return stage;
  }

  get position(): string | undefined {
    return this.#state.position;
  }

  get rows(): number {
    return this.#state.rows;
  }

  get digits(): Digits {
    return new Map(this.#state.digits);
  }

  /** A name for a file that is being made. */
  get scratch(): string {
    return join(this.#folder, `${this.#token}-${randomBytes(6).toString('hex')}.tmp`);
  }

  /** Throws when somebody with a higher token has taken over. */
  async demandOurs(): Promise<void> {
    const highest = (await tokensIn(this.#folder)).at(-1);
    if (highest === undefined || highest > this.#token) throw fenced(basename(this.#target));
  }

  /** Adds lines with the position behind them. When it resolves, both are on the disk. */
  async add(lines: Buffer, rows: number, position: string, digits: Digits): Promise<void> {
    await this.demandOurs();
    let { segments } = this.#state;
    if (lines.length > 0) {
      if (!this.#segment) {
        const name = `${this.#token}-${randomBytes(6).toString('hex')}.lines`;
        this.#segment = await open(join(this.#folder, name), 'wx', 0o600);
        segments = [...segments, { name, bytes: 0 }];
      }
      const last = segments.at(-1) as State['segments'][number];
      // What a failed attempt left behind the last position is overwritten.
      for (let at = 0; at < lines.length; ) at += (await this.#segment.write(lines, at, lines.length - at, last.bytes + at)).bytesWritten;
      await this.#segment.datasync();
      segments = [...segments.slice(0, -1), { name: last.name, bytes: last.bytes + lines.length }];
    }
    await this.#save({ ...this.#state, segments, position, digits: [...digits], rows: this.#state.rows + rows });
  }

  /** The collected rows, in portions. */
  async *collected(): AsyncGenerator<Row[]> {
    for (const { name, bytes } of this.#state.segments) {
      const handle = await open(join(this.#folder, name), 'r');
      try {
        let rest = Buffer.alloc(0);
        for (let at = 0; at < bytes; ) {
          const chunk = Buffer.allocUnsafeSlow(Math.min(PORTION, bytes - at));
          const { bytesRead } = await handle.read(chunk, 0, chunk.length, at);
          if (bytesRead === 0)
            throw new ConnectorError('transient', 'STAGE_LOST', `The rows collected for "${this.#state.file}" are cut off.`);
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
  async publish(final: string): Promise<void> {
    await this.demandOurs();
    await this.#save({ ...this.#state, final: basename(final) });
    await this.#replace(basename(final));
    await this.#save();
    await this.#tidy();
  }

  /** Forgets the rows without publishing them. The position stays when there were none to publish. */
  async forget(keepsPosition: boolean): Promise<void> {
    await this.demandOurs();
    await this.close();
    const position = keepsPosition ? this.#state.position : undefined;
    await this.#save({ ...this.#state, segments: [], rows: 0, digits: [], position, published: position });
    await this.#tidy();
  }

  async close(): Promise<void> {
    await this.#segment?.close().catch(() => {});
    this.#segment = undefined;
  }

  async #replace(final: string): Promise<void> {
    try {
      await rename(join(this.#folder, final), this.#target);
      await syncFolder(dirname(this.#target));
    } catch (error) {
      // Gone: it took its place before whoever did it could say so.
      if (codeOf(error) !== 'ENOENT') throw fileError(error, basename(this.#target));
    }
    await this.close();
    const published = this.#state.mode === 'append' ? this.#state.position : undefined;
    this.#state = { ...this.#state, final: undefined, segments: [], rows: 0, digits: [], published, position: published };
  }

  async #save(state: State = this.#state): Promise<void> {
    const path = join(this.#folder, `${this.#token}.json`);
    await writeSafely(path, JSON.stringify(state));
    this.#state = state;
  }

  /** Removes what no longer counts: states of lower tokens, and rows that nobody refers to. */
  async #tidy(): Promise<void> {
    const needed = new Set([`${this.#token}.json`, ...this.#state.segments.map((segment) => segment.name)]);
    for (const name of await readdir(this.#folder)) {
      const token = BigInt(/^\d+/.exec(name)?.[0] ?? 0);
      if (!needed.has(name) && token <= this.#token) await rm(join(this.#folder, name), { force: true });
    }
  }
}

async function tokensIn(folder: string): Promise<bigint[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    throw fileError(error, basename(folder));
  });
  return names.flatMap((name) => (/^\d+\.json$/.test(name) ? [BigInt(name.slice(0, -5))] : [])).sort((a, b) => (a < b ? -1 : 1));
}

async function stateOf(folder: string, token: bigint): Promise<State | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, `${token}.json`), 'utf8')) as State;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error instanceof SyntaxError
      ? new ConnectorError('transient', 'STAGE_LOST', 'The checkpoint beside the target file is damaged.', { cause: error })
      : fileError(error, `${token}.json`);
  }
}

function fenced(file: string): ConnectorError {
  return new ConnectorError('fenced', 'FENCED', `Somebody else has taken over the writing of "${file}".`);
}
