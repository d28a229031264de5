import { Batch, type Position, type Reject } from '../../connectors/batch.ts';
import type { Row, Value } from '../../connectors/canonical.ts';
import type {
  Applier,
  ApplyResult,
  Change,
  ChangeLines,
  ChangeLog,
  ChangeSet,
  Following,
  LoggedRow,
  LoggedChange,
  TargetChange,
} from '../../connectors/changes.ts';
import type { Changes, Field } from '../../connectors/contract.ts';
import { decodeRows } from '../../connectors/lines.ts';
import { tidyUp } from '../../lib/tidy.ts';
import { type FailedEnd, at } from '../failure.ts';
import { FieldFault, rowByField } from '../mapping/columns.ts';
import { beginBatch } from '../expression/work.ts';
import { added, NO_COUNTS } from '../progress.ts';
import { identityOfKey } from '../quarantine.ts';
import type { Counts, KeptReject, RunOrder } from '../run.ts';
import { objection, type Removal } from './guard.ts';
import type { LiveStream } from './live-stream.ts';
import { INCOMPLETE } from './row-mapper.ts';

/** What the steps of a live run need from it. */
export interface StepsOptions {
  readonly order: RunOrder;
  readonly log: ChangeLog;
  readonly applier: Applier;
  readonly following: Pick<Following, 'lookUp'>;
  /** In the order in which the log was asked for them. */
  readonly streams: readonly LiveStream[];
  /** Those that the applier has, in its order. */
  readonly applied: readonly LiveStream[];
  /** Where the log is followed from. */
  readonly after: Position;
  /** The note of a step that is about to be committed. */
  readonly note: (approvalIsUsed: boolean) => string;
  readonly isApproved: () => boolean;
  /** A table has changed; true when its stream can go on, with what it looks like now. */
  readonly refit: (stream: LiveStream, told: readonly Field[]) => Promise<boolean>;
}

/** What was done of a stream since the last commit. */
interface Done {
  counts: Counts;
  rejects: KeptReject[];
  /** When a row was rejected last, and when it was given to the target last, by its identity: as how many of its stream had been read. */
  readonly rejectedAt: Map<string, number>;
  readonly givenAt: Map<string, number>;
  removal: Removal;
  rows: number;
}

/** Makes steps at the target of what the log tells: one for each transaction, or for several small ones. */
export class Steps {
  readonly #options: StepsOptions;
  readonly #target: FailedEnd;
  readonly #places: ReadonlyMap<LiveStream, number>;
  /** Up to here the log was read. */
  #passed: Position;
  /** The target's own position: streams that do not say otherwise are there. */
  #front: Position;
  /** By the place in the log's request: whether its changes are left out, and whether the load may have seen them. */
  #skips: boolean[] = [];
  #mayBeThere: boolean[] = [];
  /** What was told of the fields of streams whose changes are left out so far: it may not be told again when they are not any more. */
  readonly #unheard = new Map<number, readonly Field[]>();
  /** What was translated and not given to the target, and the changes that it was made of. */
  #changes: TargetChange[] = [];
  #origins: LoggedChange[] = [];
  /** As how many of its stream each of them was read since the last commit. */
  #turns: number[] = [];
  #incomplete: number[] = [];
  #done = new Map<LiveStream, Done>();
  #usesApproval = false;
  #isWithin = false;

  constructor(options: StepsOptions) {
    this.#options = options;
    this.#target = { role: 'target', name: options.order.target.name };
    this.#places = new Map(options.applied.map((stream, place) => [stream, place]));
    this.#passed = options.after;
    this.#front = options.applier.checkpoint ?? options.after;
    this.#look();
  }

  /** The target's position. */
  get front(): Position {
    return this.#front;
  }

  /** A part of a transaction was taken, and the rest of it is still to come. */
  get isWithin(): boolean {
    return this.#isWithin;
  }

  /** Takes what the log tells. When it has a position, all since the last one is in the target when this resolves. */
  async take(set: ChangeSet): Promise<void> {
    beginBatch();
    this.#isWithin = set.position === undefined;
    const rows = set.changes.reduce((sum, change) => sum + (change.op === 'lines' ? change.count : 1), 0);
    const share = rows === 0 ? 0 : Math.round(set.bytes / rows);
    for (const change of set.changes) {
      const stream = this.#options.streams[change.stream];
      if (!stream || stream.lost !== undefined) continue;
      if (this.#skips[change.stream]) {
        if (change.op === 'fields') this.#unheard.set(change.stream, change.fields);
        continue;
      }
      if (this.#unheard.size > 0) await this.#hear(stream, change);
      if (stream.lost !== undefined) continue;
      if (change.op === 'fields') await this.#refit(stream, change.fields);
      else if (change.op === 'lost') stream.lose(change.error);
      else if (change.op === 'reject') this.#reject(stream, change.key, change.reject);
      else if (change.op === 'lines') await this.#takeLines(stream, change, share);
      else this.#translate(stream, change, share);
    }
    await this.#flush(set.position);
    tidyUp();
  }

  /** The rows of these keys as the source has them now. The keys are those of the target. */
  async lookUp(place: number, keys: readonly (readonly Value[])[]): Promise<readonly Row[]> {
    const stream = this.#options.applied[place];
    if (!stream) return [];
    const asked = new Set(keys.map((key) => JSON.stringify(key)));
    const sourceKeys: Value[][] = [];
    for (const [index, change] of this.#changes.entries()) {
      const origin = this.#origins[index];
      if (change.op !== 'update' || change.stream !== place || !origin || !('row' in origin)) continue;
      const key = stream.fit?.plan.write.key.map((name) => change.row[this.#fieldAt(stream, name)] ?? null);
      if (asked.has(JSON.stringify(key))) sourceKeys.push(stream.keyOf(origin.row));
    }
    const rows = await this.#now(stream, sourceKeys, stream.present);
    const mapped = rows.map((row) => this.#mapped(stream, stream.asTold(row), () => stream.wholeRow(row)));
    return mapped.filter((row) => row !== undefined);
  }

  #fieldAt(stream: LiveStream, name: string): number {
    return stream.written.findIndex((field) => field.name === name);
  }

  /** What the source has of these keys now. From then on it is as after a load: changes up to here may be there, and what is there may be of a later row. */
  #now(stream: LiveStream, keys: readonly (readonly Value[])[], fields: readonly string[]): Promise<readonly Row[]> {
    const { order, following, streams, log } = this.#options;
    return at({ role: 'source', name: order.source.name }, async () => {
      const rows = await following.lookUp(streams.indexOf(stream), keys, fields);
      stream.mayBeThereUpTo(await log.end(), log);
      return rows;
    });
  }

  /** What holds until the next position. */
  #look(): void {
    const { log, streams } = this.#options;
    this.#skips = streams.map((stream) => !stream.isLive || log.isBefore(this.#passed, stream.from(this.#front)));
    this.#mayBeThere = streams.map(({ note }) => note.joinAt !== undefined && log.isBefore(this.#passed, note.joinAt));
  }

  /** What was told of its fields while its changes were left out holds from here on. */
  async #hear(stream: LiveStream, change: Change): Promise<void> {
    const unheard = this.#unheard.get(change.stream);
    this.#unheard.delete(change.stream);
    if (unheard && change.op !== 'fields') await this.#refit(stream, unheard);
  }

  async #refit(stream: LiveStream, told: readonly Field[]): Promise<void> {
    // What was told before has the fields from before.
    await this.#flush(undefined);
    if (await this.#options.refit(stream, told)) return;
    stream.lose(new Error('Its table was changed at the source.'));
  }

  /** Gives the target lines as they are; one by one where someone has to look at them. */
  async #takeLines(stream: LiveStream, { giveBack, ...lines }: ChangeLines, bytes: number): Promise<void> {
    const { kind, count } = lines;
    const { applyLines } = this.#options.applier;
    const isLookedAt = this.#mayBeThere[lines.stream] === true || stream.quarantine?.isWatching || this.#doneOf(stream).rejects.length > 0;
    const place = this.#places.get(stream) as number;
    if (applyLines && stream.passesLines && !isLookedAt) {
      await this.#flush(undefined);
      const made = await at(this.#target, () => applyLines({ ...lines, stream: place }));
      const { counts } = this.#doneOf(stream);
      if (made) {
        counts.read += count;
        counts.bytes += count * bytes;
        this.#countOf(stream, made);
        return giveBack();
      }
    }
    for (const row of decodeRows(lines.lines)) this.#translate(stream, { op: kind, stream: lines.stream, row }, bytes);
    giveBack();
  }

  #translate(stream: LiveStream, change: LoggedChange, bytes: number): void {
    const done = this.#doneOf(stream);
    done.counts.read++;
    done.counts.bytes += bytes;
    const row = 'row' in change ? change.row : undefined;
    const made = this.#mapped(stream, row, () =>
      stream.toTarget(change, this.#places.get(stream) as number, this.#mayBeThere[change.stream] === true),
    );
    if (made === undefined) return;
    if (made === INCOMPLETE) {
      this.#incomplete.push(this.#changes.length);
      this.#changes.push({ op: 'truncate', stream: -1 });
    } else {
      if (made.op === 'delete') done.removal.deletes++;
      if (made.op === 'truncate') done.removal.isTruncated = true;
      this.#changes.push(made);
    }
    this.#origins.push(change);
    this.#turns.push(done.counts.read);
  }

  /** Maps a row. One that the mapping cannot use is rejected. */
  #mapped<Made>(stream: LiveStream, row: LoggedRow | undefined, map: () => Made): Made | undefined {
    try {
      return map();
    } catch (error) {
      if (!(error instanceof FieldFault)) throw error;
      const names = stream.fit?.plan.read.fields ?? [];
      const shown = rowByField(names, row ? stream.readRow(row) : []);
      this.#reject(stream, row ? stream.keyOf(row) : [], { row: shown, field: error.field, reason: error.message });
      return undefined;
    }
  }

  #reject(stream: LiveStream, key: readonly Value[], reject: Reject): void {
    if (stream.quarantine) this.#keep(stream, stream.quarantine.ofKey(key, reject), this.#doneOf(stream).counts.read);
  }

  #keep(stream: LiveStream, reject: KeptReject, turn: number): void {
    const { rejects, rejectedAt } = this.#doneOf(stream);
    // What is looked up twice for one step is rejected once.
    if (rejectedAt.get(reject.identity) === turn) return;
    rejects.push(reject);
    rejectedAt.set(reject.identity, turn);
  }

  #doneOf(stream: LiveStream): Done {
    let done = this.#done.get(stream);
    if (!done) {
      const removal = { deletes: 0, isTruncated: false };
      done = { counts: { ...NO_COUNTS }, rejects: [], rejectedAt: new Map(), givenAt: new Map(), removal, rows: 0 };
      this.#done.set(stream, done);
    }
    return done;
  }

  /** Gives the target what was translated; with a position, all of it counts. */
  async #flush(position: Position | undefined): Promise<void> {
    if (position === undefined && this.#changes.length === 0) return;
    await this.#complete();
    this.#demandAgreed();
    const { applier, log } = this.#options;
    const changes = this.#changes;
    // What a stream that catches up has behind it, the others have long had.
    const front = position !== undefined && log.isBefore(this.#front, position) ? position : this.#front;
    const settle = (result: ApplyResult): Promise<string> => this.#settle(result, position as Position, front);
    const set = { changes, ...(position !== undefined && { position: front }) };
    const result = await at(this.#target, () => (position === undefined ? applier.apply(set) : applier.apply(set, settle)));
    if (position === undefined) this.#count(result);
    this.#noteGiven();
    if (position !== undefined) {
      this.#front = front;
      this.#passed = position;
      await this.#settled();
      this.#look();
    }
    this.#changes = [];
    this.#origins = [];
    this.#turns = [];
  }

  /** Asks the source for rows of which the log has not told what the mapping looks at. They are newer; what lies between comes still. */
  async #complete(): Promise<void> {
    if (this.#incomplete.length === 0) return;
    const places = new Map(this.#incomplete.map((index) => [index, this.#origins[index] as LoggedChange]));
    const gone = new Set<number>();
    for (const [request, of] of Map.groupBy(places, ([, { stream }]) => stream)) {
      const stream = this.#options.streams[request] as LiveStream;
      const keys = of.map(([, change]) => ('row' in change ? stream.keyOf(change.row) : []));
      const told = stream.told.map(({ name }) => name);
      const rows = new Map((await this.#now(stream, keys, told)).map((row) => [JSON.stringify(stream.keyOf(row)), row]));
      for (const [at, [index, change]] of of.entries()) {
        const row = rows.get(JSON.stringify(keys[at]));
        const toTarget = (row: Row) =>
          stream.toTarget({ ...(change as LoggedChange & { op: 'update' }), row }, this.#places.get(stream) as number, true);
        const made = row ? this.#mapped(stream, row, () => toTarget(row)) : stream.leftBehind(change, this.#places.get(stream) as number);
        if (made && made !== INCOMPLETE) this.#changes[index] = made;
        else gone.add(index);
      }
    }
    this.#incomplete = [];
    this.#changes = this.#changes.filter((_, index) => !gone.has(index));
    this.#origins = this.#origins.filter((_, index) => !gone.has(index));
    this.#turns = this.#turns.filter((_, index) => !gone.has(index));
  }

  #demandAgreed(): void {
    const { order, isApproved } = this.#options;
    for (const [stream, { removal }] of this.#done) {
      const needed = stream.fit?.plan.write.deletes === 'keep' ? undefined : objection(stream, removal, order.definition.guard);
      if (!needed) continue;
      if (!isApproved()) throw needed;
      this.#usesApproval = true;
    }
  }

  #countOf(stream: LiveStream, { inserted, updated, deleted, unchanged }: Changes): void {
    if (inserted + updated + deleted + unchanged === 0) return;
    const done = this.#doneOf(stream);
    done.counts = added(done.counts, { inserted, updated, deleted, unchanged });
    done.rows += inserted - deleted;
  }

  /** Adds what the target has made of some changes. */
  #count({ counts, rejects }: ApplyResult): void {
    for (const [place, changes] of counts.entries()) this.#countOf(this.#options.applied[place] as LiveStream, changes);
    for (const { stream: place, index, ...reject } of rejects) {
      const stream = this.#options.applied[place] as LiveStream;
      const origin = this.#origins[index ?? -1];
      if (!origin || origin.op === 'truncate') continue;
      const isDelete = origin.op === 'delete';
      const row = isDelete ? origin.key : stream.readRow(origin.row);
      const batch = Batch.ofRows([row], { position: '', operation: isDelete ? 'delete' : 'write' });
      const found = stream.quarantine?.refused(this.#passed, batch, { batch, rejects: [], origin: undefined }, [{ ...reject, index: 0 }]);
      for (const one of found ?? []) this.#keep(stream, one, this.#turns[index ?? -1] as number);
    }
  }

  /** Keeps what has to be kept elsewhere before all since the last position counts, and answers the note. */
  async #settle(result: ApplyResult, position: Position, front: Position): Promise<string> {
    this.#count(result);
    for (const [stream, { rejects }] of this.#done) {
      try {
        await stream.quarantine?.keep(rejects, stream.note.counts.rejected);
      } catch (error) {
        // It stops itself, and no other: this step is made again without it.
        stream.lost = error;
        throw error;
      }
    }
    for (const [stream, { counts, rejects, rows }] of this.#done)
      stream.note = {
        ...stream.note,
        // Each change has had its share of the bytes of a set.
        counts: added(added(stream.note.counts, { ...counts, bytes: Math.round(counts.bytes) }), { rejected: rejects.length }),
        rows: Math.max(0, stream.note.rows + rows),
      };
    for (const stream of this.#options.streams) if (stream.isLive) this.#move(stream, position, front);
    return this.#options.note(this.#usesApproval);
  }

  /** A stream that was behind the others is further now, and may be there. */
  #move(stream: LiveStream, position: Position, front: Position): void {
    const { log } = this.#options;
    const { at, joinAt, ...rest } = stream.note;
    if (at === undefined && joinAt === undefined) return;
    const isThere = !log.isBefore(position, front);
    const further = at !== undefined && log.isBefore(at, position) ? position : at;
    const isJoined = joinAt === undefined || !log.isBefore(position, joinAt);
    stream.note = { ...rest, ...(!isThere && { at: further }), ...(!isJoined && { joinAt }) };
  }

  /** All of it is in the target. */
  async #settled(): Promise<void> {
    for (const [stream, { rejectedAt, givenAt }] of this.#done) {
      Object.assign(stream.report, stream.note.counts);
      const isRight = ([identity, turn]: [string, number]): boolean => turn > (rejectedAt.get(identity) ?? 0);
      await stream.quarantine?.takeOut([...givenAt].filter(isRight).map(([identity]) => identity));
    }
    this.#done = new Map();
    this.#usesApproval = false;
  }

  /** Notes which rows the target was given, where some are in quarantine: they have been written after all, or are gone. */
  #noteGiven(): void {
    const watched = new Map<number, LiveStream>();
    for (const [stream, { rejects }] of this.#done)
      if (stream.quarantine?.isWatching || rejects.length > 0) watched.set(this.#options.streams.indexOf(stream), stream);
    if (watched.size === 0) return;
    for (const [index, origin] of this.#origins.entries()) {
      const stream = watched.get(origin.stream);
      if (!stream || origin.op === 'truncate') continue;
      const { rejectedAt, givenAt } = this.#doneOf(stream);
      // The row of a key that was changed, or deleted, is gone.
      const keys = [...('row' in origin ? [stream.keyOf(origin.row)] : []), ...(origin.op !== 'insert' && origin.key ? [origin.key] : [])];
      for (const identity of keys.map(identityOfKey))
        if (rejectedAt.has(identity) || stream.quarantine?.has(identity)) givenAt.set(identity, this.#turns[index] as number);
    }
  }
}
