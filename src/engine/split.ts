import { setTimeout as sleep } from 'node:timers/promises';
import type { PartProgress, Parts, Range, Writer } from '../connectors/contract.ts';
import { at, StreamFailure } from './failure.ts';
import { type Note, readNote, writeNote } from './note.ts';
import { added, newReport, NO_COUNTS, rateSince } from './progress.ts';
import { demandFewRejects } from './quarantine.ts';
import type { Counts, TakenPart } from './run.ts';
import { sourceOf, type StreamWork, targetOf } from './stream-work.ts';

/** A stream that is large enough has at least so many parts: more than there are hands, so that nobody waits long for the last one. */
const PARTS_AT_LEAST = 4;
const TELL_INTERVAL = 1_000;
const LOOK_INTERVAL = 500;

/** What all parts together have done, and where they end. */
export interface JoinedParts {
  readonly counts: Counts;
  readonly position: string;
}

/**
 * Copies a large stream in parts: ranges of its keys, each with a checkpoint of its own. Any node may take one, and so does this
 * one until all are through. How far they are is what the target says. Undefined: the stream is copied as a whole.
 */
export async function copyInParts(
  work: StreamWork,
  { checkpoint, note, parts }: Writer,
  copyPart: (work: StreamWork, part: TakenPart) => Promise<void>,
): Promise<JoinedParts | undefined> {
  const { order, plan, state, ports } = work;
  const ranges = parts && (readNote(note)?.split ?? (checkpoint === undefined ? await cut(work) : undefined));
  if (!parts || !ranges) return undefined;
  const noteOf = (counts: Counts, split?: readonly Range[]): string =>
    writeNote({ run: order.id, generation: state.generation, finished: false, counts, ...(split && { split }) });
  const target = targetOf(work);
  // A name of our own: a worker that still has a part of an earlier attempt is fenced.
  const name = String(order.token);
  await at(target, () => parts.split(name, ranges.length, noteOf(NO_COUNTS, ranges)));
  const tell = teller(work, parts);
  const before = await tell();
  const left = before.notes.filter((one) => !one?.finished).length;
  ports.log('info', { stream: plan.definition.source, message: `The stream is copied in ${ranges.length} parts; ${left} are left.` });
  await ports.offerParts(
    plan.index,
    name,
    ranges.map((range, i) => ({ range, isDone: before.notes[i]?.finished === true })),
  );
  await besides(work.signal, (signal) => doParts({ ...work, signal }, copyPart), tell);
  const { notes, counts, positions } = await tell();
  if (!notes.every((one) => one?.finished)) throw partsLost(plan.definition.source);
  const position = positions.at(-1) ?? ranges.at(-1)?.after ?? '';
  await at(target, () => parts.join(position, noteOf(counts)));
  await ports.offerParts(plan.index, name, []);
  return { counts, position };
}

/** The note of a stream with what its parts have done in the same run. */
export function wholeNote(note: Note | undefined, parts: readonly PartProgress[] = []): Note | undefined {
  return (
    note && {
      ...note,
      counts: sumOf(
        note,
        parts.map((part) => readNote(part.note)),
      ),
    }
  );
}

function sumOf({ run, counts }: Pick<Note, 'run' | 'counts'>, parts: readonly (Note | undefined)[]): Counts {
  return parts.reduce((sum, part) => (part?.run === run ? added(sum, part.counts) : sum), counts);
}

/** The ranges of a stream that is read from its beginning; undefined when it had better stay whole. */
async function cut(work: StreamWork): Promise<readonly Range[] | undefined> {
  const { order, plan, source, mayBeSplit, signal } = work;
  if (!mayBeSplit || !source.ranges || plan.write.mode === 'append' || plan.write.key.length === 0) return undefined;
  const rows = Math.ceil(order.splitRows / PARTS_AT_LEAST);
  const ranges = await at(sourceOf(work), async () => source.ranges?.({ ...plan.read, signal }, rows));
  return ranges && ranges.length > 1 ? ranges : undefined;
}

/** Looks at the target how far the parts are, and tells it. */
function teller(work: StreamWork, parts: Parts) {
  const { order, plan, ports, report } = work;
  const started = performance.now();
  let before: number | undefined;
  return async () => {
    const progress = await at(targetOf(work), () => parts.progress());
    const notes = progress.map(({ note }) => readNote(note));
    const counts = sumOf({ run: order.id, counts: NO_COUNTS }, notes);
    before ??= counts.read;
    demandFewRejects(plan.definition.source, counts.rejected);
    Object.assign(report, counts, { rows_per_second: rateSince(started, counts.read - before) });
    ports.progress(plan.index, report);
    return { notes, counts, positions: progress.map(({ position }) => position) };
  };
}

/** Does parts until all are through, here or on other nodes. */
async function doParts(work: StreamWork, copyPart: (work: StreamWork, part: TakenPart) => Promise<void>): Promise<void> {
  const { plan, ports, signal } = work;
  for (;;) {
    signal.throwIfAborted();
    const { taken, open, error } = await ports.takePart(plan.index);
    if (error) throw new StreamFailure(error);
    if (taken) {
      // How far the whole stream is, is told by the worker that looks at all parts.
      await copyPart({ ...work, report: newReport(plan.definition), ports: { ...ports, progress: () => {} } }, taken);
      await ports.endPart(plan.index, taken);
    } else if (open === 0) return;
    else await sleep(LOOK_INTERVAL, undefined, { signal });
  }
}

/** Does something, and something else again and again meanwhile. When either fails, both end. */
async function besides(signal: AbortSignal, main: (signal: AbortSignal) => Promise<void>, again: () => Promise<unknown>): Promise<void> {
  const over = new AbortController();
  const both = AbortSignal.any([signal, over.signal]);
  const repeat = async (): Promise<void> => {
    while (await sleep(TELL_INTERVAL, true, { signal: both }).catch(() => false)) await again();
  };
  const end = (): void => over.abort();
  const [done, repeated] = await Promise.allSettled([main(both).finally(end), repeat().finally(end)]);
  // What ended first has ended the other; that one has failed only because of it.
  if (repeated.status === 'rejected') throw repeated.reason;
  if (done.status === 'rejected') throw done.reason;
}

function partsLost(stream: string): StreamFailure {
  return new StreamFailure({
    kind: 'transient',
    code: 'PARTS_LOST',
    message: `The target has lost a part of "${stream}" that was through.`,
    hint: 'The run goes on with what is missing.',
  });
}
