import { createHash, randomBytes } from 'node:crypto';
import type { WriteRequest } from '../../contract.ts';
import { fenced, OutsideError } from '../../../outside/errors.ts';
import { decodeRows } from '../../lines.ts';
import type { Row } from '../../canonical.ts';
import type { Digits } from '../../../lib/parquet-writer.ts';
import type { WorkPlace } from '../place/place.ts';
import { readState, type Segment, type StageState } from './stage-state.ts';
import type { TargetFile } from './target.ts';

/** What is to be noted; undefined leaves the note as it is. */
export type Annotation = string | undefined | Promise<string | undefined>;

/** A finished file that waits to take the target's place, and the stamp that it will have there. */
export interface Final {
  readonly name: string;
  readonly stamp: string;
}

/** What a batch adds: lines of rows and of spared keys. */
interface Collected {
  readonly lines: Buffer;
  readonly spared: Buffer;
  readonly rows: number;
  readonly position: string;
  readonly digits: Digits;
}

/**
 * Rows that wait for their file. They are collected beside the target, each batch with its position, and can be taken up by
 * another writer of the same owner. Every token has a state file of its own, the highest one counts: so that a writer that
 * was asleep can neither change what counts now, nor finish.
 */
export class Stage {
  readonly #work: WorkPlace;
  readonly #token: bigint;
  #state: StageState;
  /** The names of the segments that are being added to: for rows, and for keys. */
  readonly #open: { rows?: string; spared?: string } = {};

  private constructor(work: WorkPlace, token: bigint, state: StageState) {
    this.#work = work;
    this.#token = token;
    this.#state = state;
  }

  /** Takes over what there is, with our token. */
  static async open(target: TargetFile, request: WriteRequest): Promise<Stage> {
    const hash = createHash('sha256').update(`${request.owner}\0${target.name}`).digest('hex').slice(0, 24);
    const work = await target.at.work(hash);
    try {
      return await Stage.#takeOver(work, target, request);
    } catch (error) {
      work.close();
      throw error;
    }
  }

  static async #takeOver(work: WorkPlace, target: TargetFile, request: WriteRequest): Promise<Stage> {
    const { owner, token, mode, fields, resume } = request;
    const tokens = await tokensIn(work);
    const highest = tokens.at(-1);
    if (highest !== undefined && highest > token) throw fenced();
    const empty: StageState = { owner, file: target.name, mode, fields, segments: [], rows: 0, digits: [] };
    const before = highest === undefined ? undefined : await stateOf(work, highest);
    const stage = new Stage(work, token, before ?? empty);
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

  /** A path on this machine for what a comparison cannot hold in memory. */
  scratch(): string {
    return this.#work.scratch();
  }

  /** Makes the file that shall take the target's place. */
  async make(chunks: AsyncIterable<Buffer>, grows: boolean, signal: AbortSignal): Promise<Final> {
    const name = this.#newName('tmp');
    return { name, stamp: await this.#work.make(name, chunks, grows, signal) };
  }

  /** Gives up a file that was made. */
  drop({ name }: Final): Promise<void> {
    return this.#work.remove(name);
  }

  #newName(ending: string): string {
    return `${this.#token}-${randomBytes(6).toString('hex')}.${ending}`;
  }

  /** Throws when a worker with a higher token has taken over. */
  async demandOurs(): Promise<void> {
    const highest = (await tokensIn(this.#work)).at(-1);
    if (highest === undefined || highest > this.#token) throw fenced();
  }

  /** Adds lines with the position behind them and what is noted then. When it resolves, all is on the disk. */
  async add(batch: Collected, annotate: () => Annotation): Promise<void> {
    const { lines, spared, rows, position, digits } = batch;
    await this.demandOurs();
    let { segments } = this.#state;
    if (lines.length > 0) segments = await this.#append(segments, (this.#open.rows ??= this.#newName('lines')), lines);
    if (spared.length > 0) segments = await this.#append(segments, (this.#open.spared ??= this.#newName('lines')), spared, true);
    const note = (await annotate()) ?? this.#state.note;
    await this.#save({ ...this.#state, segments, position, note, digits: [...digits], rows: this.#state.rows + rows });
  }

  /** Puts lines behind those of a segment that count; the answer is what counts now. */
  async #append(segments: readonly Segment[], name: string, lines: Buffer, isSpared?: true): Promise<Segment[]> {
    const before = segments.find((segment) => segment.name === name) ?? { name, bytes: 0, isSpared };
    return [...segments.filter((segment) => segment !== before), await this.#work.append(before, lines)];
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
    for (const segment of segments) {
      let rest = Buffer.alloc(0);
      let at = 0;
      for await (const chunk of this.#work.bytes(segment)) {
        at += chunk.length;
        const lines = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
        const end = lines.lastIndexOf(0x0a) + 1;
        rest = Buffer.from(lines.subarray(end));
        if (end > 0) yield decodeRows(lines.subarray(0, end));
      }
      if (at < segment.bytes)
        throw new OutsideError('transient', 'STAGE_LOST', `The rows collected for "${this.#state.file}" are cut off.`);
    }
  }

  /** Puts a finished file in the place of the target, in one step, and forgets the rows. */
  async publish({ name }: Final, note = this.#state.note): Promise<void> {
    await this.demandOurs();
    await this.#save({ ...this.#state, note, final: name });
    const isDone = await this.#replace(name);
    await this.#save();
    if (!isDone) throw new OutsideError('transient', 'STAGE_LOST', `The new "${this.#state.file}" was lost before it took its place.`);
    await this.#tidy();
  }

  /** There were no rows: the file stays as it is. */
  async publishNothing(note = this.#state.note): Promise<void> {
    await this.demandOurs();
    await this.rest();
    await this.#save(asPublished({ ...this.#state, note }));
    await this.#tidy();
  }

  close(): void {
    this.#work.close();
  }

  /** Adds to no segment any more that was begun. */
  async rest(): Promise<void> {
    await this.#work.rest();
    delete this.#open.rows;
    delete this.#open.spared;
  }

  async #replace(final: string): Promise<boolean> {
    const isDone = await this.#work.replace(final);
    await this.rest();
    // One that was lost on the way is made again from the rows, which are still there.
    this.#state = isDone ? asPublished(this.#state) : { ...this.#state, final: undefined };
    return isDone;
  }

  async #save(state: StageState = this.#state): Promise<void> {
    await this.#work.save(`${this.#token}.json`, JSON.stringify(state));
    this.#state = state;
  }

  /** Removes what no longer counts: states of lower tokens, and rows that nobody refers to. */
  async #tidy(): Promise<void> {
    const needed = new Set([`${this.#token}.json`, ...this.#state.segments.map((segment) => segment.name)]);
    for (const name of await this.#work.names()) {
      const token = BigInt(/^\d+/.exec(name)?.[0] ?? 0);
      if (!needed.has(name) && token <= this.#token) await this.#work.remove(name);
    }
  }
}

/** All that was collected is in the file. A mirror begins at the beginning the next time. */
function asPublished(state: StageState): StageState {
  const position = state.mode === 'append' ? state.position : undefined;
  return { ...state, final: undefined, segments: [], rows: 0, digits: [], position, published: { position, note: state.note } };
}

async function tokensIn(work: WorkPlace): Promise<bigint[]> {
  const names = await work.names();
  return names.flatMap((name) => (/^\d+\.json$/.test(name) ? [BigInt(name.slice(0, -5))] : [])).sort((a, b) => (a < b ? -1 : 1));
}

async function stateOf(work: WorkPlace, token: bigint): Promise<StageState | undefined> {
  const text = await work.read(`${token}.json`);
  return text === undefined ? undefined : readState(text);
}
