import type { Batch } from '../connectors/batch.ts';
import type { Changes, Settle, Writer, WriteRequest, WriteResult } from '../connectors/contract.ts';
import type { Guard } from './definition.ts';
import { openDelivered } from './delivered/delivered-writer.ts';
import { at, from } from './failure.ts';
import { objection } from './guard.ts';
import { compileMapping, type Mapped, type Mapping } from './mapping/mapping.ts';
import { type Note, readNote, type Round, writeNote } from './note.ts';
import type { StreamPlan } from './plan/plan.ts';
import { added, bytesOf, changesOf, NO_COUNTS, rateSince } from './progress.ts';
import { ownerOf } from './owners.ts';
import { Quarantine } from './quarantine.ts';
import { roundOf, versionsOf } from './round.ts';
import { completeStructure, structureFor } from './structure.ts';
import { keepingFor } from './undo-keeping.ts';
import { unusableKeys } from './unusable-keys.ts';
import type { Counts, KeptReject, TakenPart } from './run.ts';
import { copyInParts, type JoinedParts, wholeNote } from './split.ts';
import { sourceOf, type StreamWork, targetOf } from './stream-work.ts';

/** Copies one stream: what is read is written, once, from where the target says it stands. */
export async function copyStream(work: StreamWork): Promise<void> {
  const { plan, report } = work;
  const isMirror = plan.write.mode === 'mirror';
  const writer = await openWriter(work, (note) =>
    // What an earlier mirror collected is of an earlier day. Elsewhere a position counts until everything is wanted anew.
    isMirror ? isOfThis(work, note) : note === undefined || note.generation === work.state.generation,
  );
  try {
    const note = readNote(writer.note) ?? keptNote(work);
    const mine = isOfThis(work, note) ? note : undefined;
    if (mine?.finished) {
      // The target has it all; only the message that said so was lost.
      Object.assign(report, mine.counts);
    } else {
      const copy = new Copy(work, writer, mine);
      await copy.run(await copyInParts(work, writer, copyPart));
    }
    await completeStructure(work);
    // While it waits for a person it is neither.
    if (report.status !== 'needs_approval') report.status = report.rejected > 0 ? 'partial' : 'succeeded';
    if (report.status !== 'needs_approval') await remember(work, isMirror);
  } finally {
    await writer.close();
  }
}

/** Whether a note is of this run, and of what is read now: a live run loads a stream again when it was reset meanwhile. */
export function isOfThis({ order, state }: StreamWork, note: Note | undefined): boolean {
  return note?.run === order.id && note.generation === state.generation;
}

/** Copies a part of a stream in the same way, and leaves its end to the worker that joins the parts. */
export async function copyPart(whole: StreamWork, part: TakenPart): Promise<void> {
  const work = { ...whole, part };
  const writer = await openWriter(work, () => true);
  try {
    const note = readNote(writer.note);
    if (!note?.finished) await new Copy(work, writer, note?.run === work.order.id ? note : undefined).run();
    work.report.status = work.report.rejected > 0 ? 'partial' : 'succeeded';
  } finally {
    await writer.close();
  }
}

/** Opens the target's stream; `resume` says whether to go on where the note was written. */
export async function openWriter(work: StreamWork, resume: (note: Note | undefined) => boolean): Promise<Writer> {
  const { order, plan, part, signal, ports } = work;
  let earlier: Note | undefined;
  const structured = await structureFor(work);
  const request: WriteRequest = {
    ...plan.write,
    owner: ownerOf(order.syncId, plan.write.stream),
    token: part ? BigInt(part.token) : order.token,
    ...(part && { part }),
    ...keepingFor(order),
    ...(structured && { structured }),
    resume: (note, parts) => {
      earlier = wholeNote(readNote(note), parts);
      return resume(earlier);
    },
    signal,
  };
  const writer = await at(targetOf(work), () => (plan.isDelivered ? openDelivered(work, request) : work.target.write(request)));
  // What was noted by us is also in the run's own row, unless it was interrupted.
  const kept = keptNote(work);
  if (kept && !kept.finished) earlier = kept;
  try {
    if (earlier && earlier.run !== order.id) await ports.recount(plan.index, earlier.run, earlier.counts);
    return writer;
  } catch (error) {
    await writer.close();
    throw error;
  }
}

/** The note that we keep in place of the target; undefined where it keeps one, and when it is of another generation. */
function keptNote({ state, targetKeepsPosition }: StreamWork): Note | undefined {
  const note = targetKeepsPosition ? undefined : readNote(state.note ?? undefined);
  return note?.generation === state.generation ? note : undefined;
}

/** What the next run and a preview want to know. */
export async function remember({ ports, state, report, order }: StreamWork, isMirror: boolean): Promise<void> {
  const isWhole = isMirror || order.mode === 'full';
  if (isWhole) await ports.keepRows(state.index, report.read);
  if (isWhole && state.openRejects > 0) await ports.resolveRejects(state.index, 'unseen');
  if (!isMirror && report.checkpoint !== null) await ports.keepPosition(state.index, report.checkpoint);
}

export function quarantineOf({ ports, plan, order }: StreamWork): Quarantine {
  return new Quarantine({
    ports,
    index: plan.index,
    stream: plan.definition.source,
    fields: plan.sourceFields,
    key: plan.read.key,
    outputs: plan.outputs,
    onReject: order.definition.on_reject,
  });
}

/** Where rows are only added, nothing is looked for at the target, so the key need not be among what is written. */
export function mappingOf({ sourceFields, outputs, engineFilters, read, write }: StreamPlan): Mapping {
  return compileMapping(sourceFields, outputs, { filters: engineFilters, ...(write.mode !== 'append' && { key: read.key }) });
}

/** A batch that was read, and what the mapping made of it. */
interface Passing {
  readonly batch: Batch;
  readonly mapped: Mapped;
}

/** What will have been done when a batch is in: the writer may change its mind until then. */
interface BatchTally {
  counts: Counts;
}

/** The way of the batches from one end to the other. */
class Copy {
  readonly #work: StreamWork;
  readonly #writer: Writer;
  readonly #mapping: Mapping;
  readonly #quarantine: Quarantine;
  readonly #started = performance.now();
  readonly #before: number;
  /** What is written, up to where. */
  #counts: Counts;
  #position: string | undefined;
  /** The same with what has been given to the target, and may not be there yet. */
  #given: { tally: BatchTally; position: string | undefined; round: Round };
  /** Whether the round is kept: only for a target that keeps nothing itself, and not before there is something to write. */
  #isRoundKept: boolean;
  #hasDeletes = false;

  constructor(work: StreamWork, writer: Writer, mine: Note | undefined) {
    this.#work = work;
    this.#writer = writer;
    this.#mapping = mappingOf(work.plan);
    this.#quarantine = quarantineOf(work);
    this.#counts = mine?.counts ?? NO_COUNTS;
    this.#before = this.#counts.read;
    this.#position =
      writer.checkpoint ?? work.part?.range.after ?? (work.targetKeepsPosition ? undefined : (work.state.position ?? undefined));
    const { round, isNew } = roundOf(work.order, work.state, keptNote(work));
    this.#given = { tally: { counts: this.#counts }, position: this.#position, round };
    this.#isRoundKept = !isNew;
  }

  /** Does all of it; what others have done in parts needs only to be finished. */
  async run(joined?: JoinedParts): Promise<void> {
    const { report } = this.#work;
    report.checkpoint = joined?.position ?? this.#position ?? null;
    if (joined) this.#counts = joined.counts;
    else await this.#passAll();
    await this.#finish();
  }

  async #passAll(): Promise<void> {
    const { state, plan } = this.#work;
    if (state.openRejects > 0 && plan.write.mode === 'upsert') await this.#quarantine.watch();
    let underWay: Promise<void> = Promise.resolve();
    try {
      for await (const passing of this.#batches()) {
        if (!this.#writer.takesAhead) await underWay;
        await this.#keepRound(passing.batch);
        const written = this.#pass(passing, underWay);
        await underWay;
        underWay = written;
      }
    } catch (error) {
      // What was read before the fault arrives, and counts.
      await underWay.catch(() => {});
      throw error;
    }
    await underWay;
  }

  /** Before the first row goes to a target that keeps nothing: should this run never come back, the next one knows what it was. */
  async #keepRound(batch: Batch): Promise<void> {
    const { ports, plan, targetKeepsPosition } = this.#work;
    if (this.#isRoundKept || targetKeepsPosition || batch.count === 0) return;
    this.#isRoundKept = true;
    await ports.keepPosition(plan.index, null, this.#note(this.#counts, false, this.#given.round));
  }

  /** Reads and maps one batch ahead, so that both ends are busy at the same time. */
  async *#batches(): AsyncGenerator<Passing> {
    const { source, plan, signal } = this.#work;
    const { part } = this.#work;
    const place = { ...(this.#position !== undefined && { after: this.#position }), ...(part && { range: part.range }) };
    const { batchRows } = this.#writer;
    const request = { ...plan.read, ...place, ...(batchRows !== undefined && { batchRows }), once: plan.write.mode === 'append', signal };
    const batches = from(sourceOf(this.#work), source.read(request));
    const read = (): Promise<Passing | undefined> => {
      const next = batches.next().then(({ value, done }) => (done ? undefined : { batch: value, mapped: this.#mapping.map(value) }));
      // It may fail while nobody waits for it yet.
      next.catch(() => {});
      return next;
    };
    let next = read();
    try {
      for (;;) {
        const passing = await next;
        if (!passing) return;
        next = read();
        yield passing;
      }
    } finally {
      await next.catch(() => {});
      await batches.return(undefined);
    }
  }

  /** Gives a batch to the target; resolves when it is there, and those before it are. */
  #pass({ batch, mapped }: Passing, before: Promise<void>): Promise<void> {
    const { plan, signal, state, targetKeepsPosition } = this.#work;
    signal.throwIfAborted();
    if (batch.operation === 'delete') this.#hasDeletes = true;
    const unusable = this.#quarantine.unusable(this.#given.position, batch, mapped);
    const settled = this.#settling(unusable, mapped, batch);
    const spared = unusableKeys(plan, this.#mapping, batch, mapped);
    const { round } = this.#given;
    const sparing = spared.length > 0 ? mapped.batch.sparing(spared) : mapped.batch;
    const toWrite = targetKeepsPosition ? sparing : sparing.telling(versionsOf(plan, state.generation, round, batch, mapped));
    const writing = at(targetOf(this.#work), () => this.#writer.write(toWrite, settled.settle));
    const after: Round = { ...round, rows: round.rows + batch.count };
    this.#given = { tally: settled.tally, position: batch.position, round: after };
    const passed = (async () => {
      await Promise.allSettled([before, writing]);
      await before;
      await writing;
      await this.#passed(batch, settled.rejects(), settled.tally.counts, after);
      batch.release();
      mapped.batch.release();
    })();
    passed.catch(() => {});
    return passed;
  }

  async #passed(batch: Batch, rejects: readonly KeptReject[], counts: Counts, round: Round): Promise<void> {
    const { ports, plan, report, targetKeepsPosition } = this.#work;
    await this.#quarantine.written(batch, rejects);
    this.#counts = counts;
    this.#position = batch.position;
    const note = this.#isRoundKept ? this.#note(counts, false, round) : undefined;
    if (!targetKeepsPosition) await ports.keepPosition(plan.index, batch.position, note);
    report.checkpoint = batch.position;
    this.#tell();
  }

  /** What has to be kept before a batch is committed, and what is noted with it. The last outcome counts. */
  #settling(unusable: readonly KeptReject[], mapped: Mapped, batch: Batch) {
    const { tally: before, position: after } = this.#given;
    const tally: BatchTally = { counts: before.counts };
    let rejects: readonly KeptReject[] = unusable;
    const settle: Settle = async (result) => {
      rejects = [...unusable, ...this.#quarantine.refused(after, batch, mapped, result.rejects)];
      await this.#quarantine.keep(rejects, before.counts.rejected);
      const read = mapped.batch.count + unusable.length;
      tally.counts = added(before.counts, { ...changesOf(result), read, rejected: rejects.length, bytes: bytesOf(mapped.batch) });
      return this.#note(tally.counts, false);
    };
    return { settle, rejects: () => rejects, tally };
  }

  async #finish(): Promise<void> {
    const { plan, report, order, state, ports } = this.#work;
    let counts = this.#counts;
    let isRefused = false;
    const settle = async (result: WriteResult): Promise<string> => {
      const rejects = this.#quarantine.refusedAtEnd(result.rejects);
      await this.#quarantine.keep(rejects, this.#counts.rejected);
      counts = added(this.#counts, { ...changesOf(result), rejected: rejects.length });
      // Even what is refused may have to be noted: rows that were there already and were taken back.
      return this.#note(counts, !isRefused);
    };
    const approve = (changes: Changes): boolean => {
      const rowsBefore = state.rows;
      const refusal = objection(this.#guard, { target: plan.write.stream, changes, read: this.#counts.read, rowsBefore });
      if (!refusal || order.approved) return true;
      isRefused = true;
      Object.assign(report, { status: 'needs_approval', error: refusal, changes });
      return false;
    };
    const { refused } = await at(targetOf(this.#work), () => this.#writer.finish(approve, settle));
    this.#counts = counts;
    if (this.#isRoundKept) await ports.keepPosition(plan.index, null, this.#note(counts, true, this.#given.round));
    this.#tell();
    if (!refused && !this.#work.part) this.#tellOfDoubles();
  }

  /** Rows of the same key are one row at the target. The user may have thought that they were many. */
  #tellOfDoubles(): void {
    const { ports, plan } = this.#work;
    const { read, inserted, updated, unchanged, rejected } = this.#counts;
    const doubles = read - inserted - updated - unchanged - rejected;
    if (this.#hasDeletes || plan.write.mode === 'append' || doubles <= 0) return;
    const key = plan.read.key.join(', ');
    ports.log('warn', {
      stream: plan.definition.source,
      message: `${doubles} of the ${read} rows have the same key (${key}) as another one. Of each key the last row was written.`,
      data: { doubles, key: plan.read.key },
    });
  }

  get #guard(): Guard {
    return this.#work.order.definition.guard;
  }

  #note(counts: Counts, finished: boolean, round?: Round): string {
    return writeNote({ run: this.#work.order.id, generation: this.#work.state.generation, finished, counts, ...(round && { round }) });
  }

  #tell(): void {
    const { ports, report, plan } = this.#work;
    Object.assign(report, this.#counts, { rows_per_second: rateSince(this.#started, this.#counts.read - this.#before) });
    ports.progress(plan.index, report);
  }
}
