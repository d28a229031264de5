import type { Abilities, Manifest, Session, Stream } from '../connectors/contract.ts';
import { findManifest } from '../connectors/registry.ts';
import { STREAM_KINDS } from '../connectors/stream-kinds.ts';
import { asRunError, at, PlacedError, StreamFailure, traceOf } from './failure.ts';
import { endView } from './plan/end-view.ts';
import { planStream, type StreamPlan } from './plan/plan.ts';
import { previewStream } from './preview.ts';
import { newReport } from './progress.ts';
import { retryRejects } from './retry.ts';
import type { RunError, RunOrder, RunOutcome, RunPorts, StopReason, StreamReport, StreamState } from './run.ts';
import { copyPart, copyStream } from './stream.ts';
import type { StreamWork } from './stream-work.ts';
import { faultWords } from './plan/fault-words.ts';

interface OpenEnds {
  readonly source: Session;
  readonly target: Session;
  readonly sourceStreams: ReadonlyMap<string, Stream>;
  readonly targetStreams: ReadonlyMap<string, Stream>;
}

/** Does one run. It never throws: whatever goes wrong is in the outcome. `signal.reason` is a StopReason. */
export async function executeRun(order: RunOrder, ports: RunPorts, signal: AbortSignal): Promise<RunOutcome> {
  const jobs = order.streams.map((state) => {
    const definition = order.definition.streams[state.index];
    if (!definition) throw new Error(`There is no stream ${state.index}.`);
    return { state, definition, report: newReport(definition) };
  });
  const opened: Session[] = [];
  const open = (end: 'source' | 'target'): Promise<Session> =>
    at({ role: end, name: order[end].name }, async () => {
      const session = await ports.open(end);
      opened.push(session);
      return session;
    });
  try {
    const ends = await lookAround(order, open);
    await sideBySide(jobs, order.sideBySide, async ({ state, report }) => {
      report.status = 'running';
      ports.progress(state.index, report);
      try {
        await doStream(order, state, ends, report, ports, signal);
      } catch (error) {
        fail(report, error, ports, signal);
      }
      ports.progress(state.index, report);
    });
  } catch (error) {
    for (const { report } of jobs) fail(report, error, ports, signal);
  } finally {
    await Promise.allSettled(opened.map((session) => session.close()));
  }
  return outcomeOf(
    jobs.map(({ state, report }) => ({ index: state.index, report })),
    signal,
  );
}

/** Opens both ends and looks at the streams that are concerned. */
async function lookAround(order: RunOrder, open: (end: 'source' | 'target') => Promise<Session>): Promise<OpenEnds> {
  const names = (end: 'source' | 'target'): string[] => [
    ...new Set(order.streams.map(({ index }) => order.definition.streams[index]?.[end] ?? '')),
  ];
  const look = async (end: 'source' | 'target') => {
    const session = await open(end);
    const streams = await at({ role: end, name: order[end].name }, () => session.discover(names(end)));
    return { session, streams: new Map(streams.map((stream) => [stream.name, stream])) };
  };
  const [source, target] = await Promise.all([look('source'), look('target')]);
  return { source: source.session, target: target.session, sourceStreams: source.streams, targetStreams: target.streams };
}

async function doStream(
  order: RunOrder,
  state: StreamState,
  ends: OpenEnds,
  report: StreamReport,
  ports: RunPorts,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  const plan = planOf(order, state, ends, ports, report);
  const sourceStream = ends.sourceStreams.get(plan.read.stream);
  const isWhole = plan.write.mode === 'mirror' || order.mode === 'full';
  // What is known of a file that has no rows at this moment is worth more than what it shows.
  const isUnknown = sourceStream !== undefined && tellsNothing(sourceStream);
  report.estimated_total = isWhole ? (sourceStream?.estimatedRows ?? null) : null;
  const work: StreamWork = {
    order,
    plan,
    state,
    source: ends.source,
    target: ends.target,
    targetKeepsPosition: abilitiesOf(order.target.type).checkpoints,
    mayBeSplit: mayBeSplit(order, sourceStream),
    ports,
    signal,
    report,
  };
  if (order.part) return copyPart(work, order.part);
  if (order.mode === 'preview')
    return previewStream(work, ends.targetStreams.get(plan.write.stream), abilitiesOf(order.target.type).filters);
  if (order.mode === 'rejects' && plan.write.mode !== 'mirror') await retryRejects(work, abilitiesOf(order.source.type).filters);
  else await copyStream(work);
  // Who wants to hear of changes, or nothing of them, is held to the fields of the first run.
  if (sourceStream && (state.fields === null || (order.definition.schema_changes === 'apply' && !isUnknown)))
    await ports.keepFields(state.index, sourceStream.fields);
}

/** Whether a stream is large enough to be copied in parts, and both ends can do that. */
function mayBeSplit({ source, target, splitRows }: RunOrder, stream: Stream | undefined): boolean {
  const isLarge = splitRows > 0 && (stream?.estimatedRows ?? 0) >= splitRows;
  return isLarge && abilitiesOf(source.type).ranges === true && abilitiesOf(target.type).parts === true;
}

/** How the stream is to be done, by what both ends look like now. */
function planOf(
  order: RunOrder,
  state: StreamState,
  { sourceStreams, targetStreams }: OpenEnds,
  ports: RunPorts,
  report: StreamReport,
): StreamPlan {
  const definition = order.definition.streams[state.index];
  if (!definition) throw new Error(`There is no stream ${state.index}.`);
  const { plan, faults, notices, schemaChanges } = planStream({
    index: state.index,
    definition,
    source: endView(manifestOf(order.source.type), knownFields(sourceStreams.get(definition.source), state)),
    target: endView(manifestOf(order.target.type), targetStreams.get(definition.target)),
    schemaChanges: order.definition.schema_changes,
    known: state.fields,
  });
  if (schemaChanges.length > 0) report.schema_changes = schemaChanges;
  for (const message of notices) ports.log('warn', { stream: definition.source, message });
  if (plan) return plan;
  const [first = { field: 'source', reason: 'cannot be done' }] = faults;
  const fault = { member: first.field.replace(/^streams\[\d+\]\./, ''), reason: first.reason };
  throw new StreamFailure({
    kind: 'config',
    code: 'DEFINITION_UNFIT',
    message: `The stream "${definition.source}" does not fit any more: ${faultWords(fault, definition)}`,
    hint:
      faults.length > 1
        ? `${faults.length === 2 ? 'There is another fault' : `There are ${faults.length - 1} more faults`}. Correct the synchronization, or the system.`
        : 'Correct the synchronization, or the system.',
  });
}

/** A file without rows says nothing about its types, or not even which fields it has. */
function tellsNothing({ kind, estimatedRows }: Stream): boolean {
  return STREAM_KINDS[kind].guessesTypes && estimatedRows === 0;
}

/** The stream with its fields; where it says nothing about them, they are what they were. */
function knownFields(stream: Stream | undefined, { fields }: StreamState): Stream | undefined {
  return stream && tellsNothing(stream) && fields ? { ...stream, fields } : stream;
}

function abilitiesOf(type: string): Abilities {
  return manifestOf(type).abilities;
}

function manifestOf(type: string): Manifest {
  const manifest = findManifest(type, true);
  if (!manifest)
    throw new StreamFailure({
      kind: 'config',
      code: 'TYPE_UNKNOWN',
      message: `This Syncline has no connector "${type}".`,
      hint: 'Start the version that has it.',
    });
  return manifest;
}

function fail(report: StreamReport, thrown: unknown, ports: RunPorts, signal: AbortSignal): void {
  const reason = stopReason(signal);
  if (reason === 'cancelled' || reason === 'handed_over') {
    report.status = reason === 'cancelled' ? 'cancelled' : 'pending';
    return;
  }
  report.status = 'failed';
  report.error = asRunError(thrown);
  const { kind, code, hint, message } = report.error;
  const end = thrown instanceof PlacedError ? thrown.place.role : undefined;
  ports.log('error', {
    stream: report.name,
    message,
    data: { kind, code, hint, ...(end && { end }), ...(kind === 'bug' && { trace: traceOf(thrown) }) },
  });
}

function stopReason(signal: AbortSignal): StopReason | undefined {
  return signal.aborted ? (signal.reason as StopReason) : undefined;
}

function outcomeOf(streams: readonly { index: number; report: StreamReport }[], signal: AbortSignal): RunOutcome {
  const having = (status: StreamReport['status']): StreamReport[] =>
    streams.map(({ report }) => report).filter((report) => report.status === status);
  const errorOf = ([first]: StreamReport[]): RunError | null => first?.error ?? null;
  const failed = having('failed');
  const waiting = having('needs_approval');
  const reason = stopReason(signal);
  if (having('cancelled').length > 0) return { status: 'cancelled', streams, error: null };
  if (having('pending').length > 0 && reason === 'handed_over') return { status: 'handed_over', streams, error: null };
  if (waiting.length > 0) return { status: 'needs_approval', streams, error: errorOf(waiting) };
  // What needs a person is told before what may heal by itself.
  const worst = failed.filter((report) => report.error?.kind !== 'transient');
  if (failed.length > 0) return { status: 'failed', streams, error: errorOf(worst.length > 0 ? worst : failed) };
  return { status: having('partial').length > 0 ? 'partial' : 'succeeded', streams, error: null };
}

/** Does all of them, so many at the same time. */
async function sideBySide<Job>(jobs: readonly Job[], most: number, work: (job: Job) => Promise<void>): Promise<void> {
  const waiting = [...jobs];
  const worker = async (): Promise<void> => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) await work(job);
  };
  await Promise.all(Array.from({ length: Math.max(1, most) }, worker));
}
