import type { Position } from '../../connectors/batch.ts';
import type { Applier, ApplyRequest, ChangeLog, LogRequest } from '../../connectors/changes.ts';
import { OutsideError } from '../../outside/errors.ts';
import { asRunError, at, type FailedEnd, StreamFailure } from '../failure.ts';
import { fail } from '../outcome.ts';
import type { StreamReport } from '../run.ts';
import { aborted, ahead } from './ahead.ts';
import { concernedBy, gapIn, GivenAgain, isFailure, isOfStream, isTakenBack, MOST_LOOKS, unable } from './faults.ts';
import { keepingFor } from '../undo-keeping.ts';
import { ApprovalNeeded } from './guard.ts';
import { LagWatch } from './lag.ts';
import type { LiveJob } from './live-job.ts';
import { LiveStream } from './live-stream.ts';
import { type Loaded, loadStream } from './loading.ts';
import { anew, type LiveNote, NoteWriter, newStreamNote, readLiveNote } from './note.ts';
import { earliest } from './places.ts';
import { refit } from './refit.ts';
import { liveOwner, retainedTooMuch } from './release.ts';
import { Steps } from './steps.ts';

/** Why the log is not followed any further as it was. */
type Turn = 'go' | 'regroup' | 'roll';

/**
 * Follows the log of the source for as long as it is let. Streams that are new are loaded meanwhile, and join. True when it was closed
 * after its time, and another run is to go on.
 */
export async function followLive(job: LiveJob): Promise<boolean> {
  const run = new LiveRun(job);
  try {
    await run.go();
    return true;
  } catch (error) {
    if (!(error instanceof ApprovalNeeded)) throw error;
    // The others wait with it: a step is made over all streams, or not at all.
    for (const { report } of job.jobs) if (report.status === 'running') report.status = 'pending';
    Object.assign(error.stream.report, { status: 'needs_approval', error: error.error, changes: error.changes });
    return false;
  } finally {
    await run.close();
  }
}

class LiveRun {
  readonly #job: LiveJob;
  readonly #owner: string;
  readonly #log: ChangeLog;
  readonly #source: FailedEnd;
  readonly #target: FailedEnd;
  readonly #lag: LagWatch;
  readonly #notes = new NoteWriter();
  readonly #rollAt: number;
  /** Whether its time is over. The clock is not asked: a timer may fire a moment before it. */
  #isDue = false;
  readonly #loads = new Map<LiveStream, Promise<void>>();
  readonly #loaded = new Map<LiveStream, Loaded>();
  readonly #loading = new AbortController();
  readonly #again = new GivenAgain();
  #streams: LiveStream[] = [];
  #found: LiveNote | undefined;
  #applier: Applier | undefined;
  /** Up to where the target has everything; undefined when there is nothing to go on from. */
  #front: Position | undefined;
  #isApprovalUsed = false;
  /** The streams that the source keeps its log for are not those that we want. */
  #isListOld = true;
  /** What a load or the watch has found, for the one who follows. */
  #failure: unknown;
  #turn = new AbortController();
  #isTurnAsked = false;
  #steps: Steps | undefined;

  constructor(job: LiveJob) {
    const { order, ports, ends } = job;
    const { log } = ends.source;
    if (!log || !ends.target.apply) throw unable(!log ? 'source' : 'target');
    this.#job = job;
    this.#log = log;
    this.#source = { role: 'source', name: order.source.name };
    this.#target = { role: 'target', name: order.target.name };
    this.#owner = liveOwner(order.syncId);
    this.#rollAt = performance.now() + order.rollAfter;
    this.#lag = new LagWatch({ log, owner: this.#owner, tell: (lag) => ports.lag(lag), kept: (bytes) => this.#bound(bytes) });
  }

  async go(): Promise<void> {
    await this.#begin();
    const timer = setTimeout(() => this.#askTurn(true), Math.max(0, this.#rollAt - performance.now()));
    try {
      let turn: Turn = 'regroup';
      while (turn !== 'roll') {
        turn = await this.#regroup();
        this.#tell();
        if (turn !== 'roll') turn = await this.#follow();
      }
    } finally {
      clearTimeout(timer);
    }
    for (const { report, note } of this.#streams)
      if (note.state !== 'stopped') report.status = report.rejected > 0 ? 'partial' : 'succeeded';
  }

  async close(): Promise<void> {
    this.#lag.close();
    this.#loading.abort();
    this.#turn.abort();
    await Promise.allSettled(this.#loads.values());
    await this.#applier?.close();
  }

  /** Finds out where the target stands. */
  async #begin(): Promise<void> {
    const { order, ports, jobs, ends } = this.#job;
    await this.#openApplier([]);
    this.#found = readLiveNote(this.#applier?.note);
    this.#front = this.#found && this.#applier?.checkpoint;
    const isMine = this.#found?.run === order.id;
    this.#isApprovalUsed = this.#found?.approved === order.id;
    for (const { state, report } of jobs) {
      const earlier = this.#found?.streams[report.target];
      // Its counts are those of another run, which may not have lived to tell them.
      if (earlier && this.#found && !isMine && earlier.state !== 'loading')
        await ports.recount(state.index, this.#found.run, earlier.counts);
      const stream = new LiveStream(order, state, report, ports, earlier);
      if (!isMine) stream.note = anew(stream.note);
      if (order.mode === 'rejects' && state.openRejects > 0 && stream.note.loadedBy !== order.id)
        stream.note = newStreamNote(state.generation);
      Object.assign(report, stream.note.counts, { status: 'running' });
      this.#streams.push(stream);
      if (stream.note.state === 'stopped') this.#stop(stream, stream.note.error ?? null);
      else await this.#fit(stream, () => stream.fitTo(ends, this.#job));
    }
    // Where nothing is followed there is nothing to go on from.
    if (!this.#streams.some(({ isLive, note }) => isLive || note.at !== undefined)) this.#front = undefined;
    const known = Object.entries(this.#found?.streams ?? {}).flatMap(([name, { state }]) => (state === 'stopped' ? [] : [name]));
    const wanted = this.#followed().map(({ report }) => report.target);
    this.#isListOld = known.length !== wanted.length || wanted.some((name) => !known.includes(name));
  }

  /** Those that the source keeps its log for. */
  #followed(): LiveStream[] {
    return this.#streams.filter(({ note, fit }) => note.state !== 'stopped' && fit !== undefined);
  }

  /** Takes in what has changed: streams that are through with their load, and those that have lost their way. */
  async #regroup(): Promise<Turn> {
    for (const stream of this.#streams) if (stream.lost !== undefined) this.#lose(stream);
    for (const [stream, loaded] of this.#loaded) this.#join(stream, loaded);
    this.#loaded.clear();
    const toLoad = this.#followed().filter((stream) => stream.note.state === 'loading' && !this.#loads.has(stream));
    const isNew = toLoad.filter(({ note }) => note.at === undefined);
    // A load is that of a run. What was loaded by this one and is to be loaded again is the next one's.
    if (isNew.some(({ note }) => note.loadedBy === this.#job.order.id)) {
      await this.#openApplier([]);
      await this.#keepNote(this.#front ?? this.#applier?.checkpoint ?? '');
      return 'roll';
    }
    if (this.#front === undefined) {
      this.#front = await this.#asFar(() => this.#log.hold(this.#request()));
      for (const stream of this.#followed()) stream.note = { ...stream.note, at: this.#front };
    } else if (this.#isListOld || isNew.length > 0) {
      await this.#asFar(() => this.#log.change(this.#request()));
      const end = await at(this.#source, () => this.#log.end());
      for (const stream of isNew) stream.note = { ...stream.note, at: end };
    }
    this.#isListOld = false;
    await this.#openApplier(this.#streams.filter(({ isLive }) => isLive));
    await this.#keepNote(this.#front);
    for (const stream of toLoad) if (stream.note.state === 'loading') this.#load(stream);
    return 'go';
  }

  /** Asks the source for the streams as far as they can be followed. One may have changed since it was looked at. */
  async #asFar<Result>(ask: () => Promise<Result>): Promise<Result> {
    for (let looks = 0; ; looks++) {
      try {
        return await at(this.#source, ask);
      } catch (error) {
        const concerned = concernedBy(error, this.#followed());
        if (concerned.length === 0) throw error;
        for (const stream of concerned)
          if (looks < MOST_LOOKS) await this.#fit(stream, () => stream.look(this.#job));
          else this.#leave(stream, error);
      }
    }
  }

  async #fit(stream: LiveStream, fit: () => Promise<void>): Promise<void> {
    try {
      await fit();
    } catch (error) {
      if (!(error instanceof StreamFailure)) throw error;
      this.#leave(stream, error);
    }
  }

  #request(signal?: AbortSignal): LogRequest {
    const { order } = this.#job;
    const streams = this.#followed().map((stream) => stream.wanted(order.definition.schema_changes, this.#applier));
    return { owner: this.#owner, streams, signal: signal ?? this.#job.signal };
  }

  async #openApplier(live: readonly LiveStream[]): Promise<void> {
    const { order, ends, signal } = this.#job;
    await this.#applier?.close();
    const streams = live.map(({ appliedTo }) => appliedTo);
    const lookUp: ApplyRequest['lookUp'] = (...asked) => (this.#steps as Steps).lookUp(...asked);
    const request = { streams, owner: this.#owner, token: order.token, signal, lookUp, ...keepingFor(order) };
    this.#applier = await at(this.#target, () => (ends.target.apply as NonNullable<typeof ends.target.apply>)(request));
  }

  async #keepNote(position: Position): Promise<void> {
    const applier = this.#applier as Applier;
    await at(this.#target, () => applier.apply({ changes: [], position }, () => this.#note(false)));
  }

  #note(approvalIsUsed: boolean): string {
    if (approvalIsUsed) this.#isApprovalUsed = true;
    const streams = Object.fromEntries(this.#streams.map(({ report, note }) => [report.target, note]));
    const run = this.#job.order.id;
    return this.#notes.write({ run, streams, ...(this.#isApprovalUsed && { approved: run }) });
  }

  #load(stream: LiveStream): void {
    const { order, ports, ends, signal } = this.#job;
    const interrupted = this.#found?.streams[stream.report.target]?.state === 'loading' ? this.#found.run : undefined;
    const ended = AbortSignal.any([signal, this.#loading.signal]);
    const work = async (): Promise<void> => {
      try {
        const options = { order, ports, ends, log: this.#log, signal: ended, interrupted };
        this.#loaded.set(stream, await loadStream(stream, options));
      } catch (error) {
        if (ended.aborted) return;
        if (isOfStream(error)) this.#leave(stream, error);
        else this.#failure ??= error;
      }
      this.#loads.delete(stream);
      if (this.#failure === undefined) this.#askTurn();
      else this.#turn.abort();
    };
    this.#loads.set(stream, work());
  }

  #join(stream: LiveStream, { joinAt, counts, rows, fields }: Loaded): void {
    const { order } = this.#job;
    if (order.approved) this.#isApprovalUsed = true;
    stream.note = { ...stream.note, state: 'live', joinAt, counts, rows, fields, loadedBy: order.id };
  }

  /** Something happened to a stream that the log does not tell, or it cannot be written. */
  #lose(stream: LiveStream): void {
    const { lost } = stream;
    stream.lost = undefined;
    this.#isListOld = true;
    const { order, ports } = this.#job;
    const isGap = lost instanceof OutsideError && lost.kind === 'gap';
    if (lost instanceof StreamFailure || (isGap && order.definition.on_gap === 'stop')) return this.#leave(stream, lost);
    const why = isGap ? asRunError(lost).message : 'Its table was changed at the source.';
    ports.log('warn', { stream: stream.name, message: `The stream is loaded anew. ${why}` });
  }

  /** The stream stops until a person acts; the others go on. */
  #leave(stream: LiveStream, error: unknown): void {
    fail(stream.report, error, this.#job.ports, this.#job.signal);
    this.#stop(stream, stream.report.error);
  }

  #stop(stream: LiveStream, error: StreamReport['error']): void {
    Object.assign(stream.report, { status: 'failed', error });
    stream.note = { ...stream.note, state: 'stopped', at: undefined, joinAt: undefined, error: error ?? undefined };
    this.#isListOld = true;
  }

  /** All changes since are lost, or would have to be kept for too long. */
  #loseAll(error: OutsideError): void {
    if (this.#job.order.definition.on_gap === 'stop') throw error;
    const names = error.streams ?? this.#streams.map(({ name }) => name);
    for (const stream of this.#followed()) if (names.includes(stream.name)) stream.lose(error);
    if (!error.streams || this.#followed().every(({ lost }) => lost !== undefined)) this.#front = undefined;
  }

  /** The source may not be filled with what it keeps for us. */
  #bound(bytes: number): void {
    const most = this.#job.order.definition.max_retained;
    if (bytes <= most || this.#failure !== undefined) return;
    this.#failure = retainedTooMuch(bytes, most);
    this.#turn.abort();
    // At once: who follows may wait for a target that stands still.
    void this.#log.release(this.#owner).catch(() => {});
  }

  async #follow(): Promise<Turn> {
    [this.#turn, this.#isTurnAsked, this.#steps] = [new AbortController(), false, undefined];
    // It is not rolled before the loads are through, and the end of each of them is told.
    if (this.#loaded.size > 0 || (this.#isDue && this.#loads.size === 0)) this.#turn.abort();
    try {
      await this.#demandWell();
      if (this.#streams.some(({ isLive }) => isLive)) return await this.#followLog(this.#turn.signal);
      await aborted(AbortSignal.any([this.#turn.signal, this.#job.signal]));
      return await this.#turned();
    } catch (thrown) {
      this.#job.signal.throwIfAborted();
      // What was found before is why, and not what came of it.
      const error: unknown = await this.#demandWell().then(
        () => thrown,
        (found: unknown) => found,
      );
      const cause = gapIn(error);
      if (cause) {
        this.#loseAll(cause);
        return 'regroup';
      }
      const concerned = concernedBy(error, this.#followed());
      for (const stream of concerned) this.#leave(stream, error);
      if (concerned.length > 0 || isTakenBack(error) || this.#again.isDue(error, this.#front)) return 'regroup';
      if (this.#streams.some(({ lost }) => lost === undefined) && this.#streams.some(({ lost }) => lost === error)) return 'regroup';
      throw error;
    }
  }

  /** Asks the one who follows to look up. A transaction is finished first: else a large one might be begun again and again. */
  #askTurn(isDue = this.#isDue): void {
    [this.#isTurnAsked, this.#isDue] = [true, isDue];
    if (!this.#steps?.isWithin) this.#turn.abort();
  }

  /** What a load or the watch has found. */
  async #demandWell(): Promise<void> {
    this.#job.signal.throwIfAborted();
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure === undefined) return;
    if (failure instanceof OutsideError && failure.code === 'RETAINED_TOO_MUCH') await this.#log.release(this.#owner);
    throw failure;
  }

  /** What to do when the one who follows was told to stop. */
  async #turned(): Promise<Turn> {
    await this.#demandWell();
    if (this.#streams.some(({ lost }) => lost !== undefined)) return 'regroup';
    return this.#isDue && this.#loads.size === 0 && this.#loaded.size === 0 ? 'roll' : 'regroup';
  }

  async #followLog(turn: AbortSignal): Promise<Turn> {
    const { order, ends, ports, signal } = this.#job;
    const [front, applier, streams] = [this.#front as Position, this.#applier as Applier, this.#followed()];
    const applied = this.#streams.filter(({ isLive }) => isLive);
    const after = earliest(
      this.#log,
      applied.map((stream) => stream.from(front)),
    );
    const milestones = [front, ...applied.flatMap(({ note }) => [note.at, note.joinAt])].filter((one) => one !== undefined);
    const both = AbortSignal.any([signal, turn]);
    // So that a run that begins tells how far it is, also when nothing happens at the source.
    await at(this.#source, () => this.#log.end());
    const following = this.#log.follow(this.#request(both), after, milestones);
    const steps = new Steps({
      order,
      log: this.#log,
      applier,
      following,
      streams,
      applied,
      after,
      note: (approvalIsUsed) => this.#note(approvalIsUsed),
      isApproved: () => order.approved && !this.#isApprovalUsed,
      refit: (stream, told) => refit(stream, told, { order, ends, ports, applier, place: applied.indexOf(stream) }),
    });
    this.#steps = steps;
    try {
      for await (const set of ahead(following, { source: this.#source, log: this.#log, milestones })) {
        this.#lag.arrived(set);
        await steps.take(set);
        if (set.position === undefined) continue;
        this.#front = steps.front;
        this.#lag.applied(set);
        following.acknowledge(this.#needed(steps.front));
        this.#tell();
        if (this.#isTurnAsked || turn.aborted || streams.some(({ lost }) => lost !== undefined)) return await this.#turned();
      }
    } catch (error) {
      if (turn.aborted && !signal.aborted && !isFailure(error)) return this.#turned();
      throw error;
    }
    return this.#turned();
  }

  /** Behind this nobody needs anything: the source may forget what lies before. */
  #needed(front: Position): Position {
    return earliest(this.#log, [front, ...this.#streams.flatMap(({ note }) => (note.state !== 'stopped' && note.at ? [note.at] : []))]);
  }

  #tell(): void {
    for (const { report, note, state } of this.#streams) {
      report.live = note.state;
      if (note.state === 'live') report.checkpoint = note.at ?? this.#front ?? null;
      this.#job.ports.progress(state.index, report);
    }
  }
}
