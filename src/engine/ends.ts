import type { Abilities, Manifest, Stream } from '../connectors/contract.ts';
import { findManifest } from '../connectors/registry.ts';
import type { Session } from '../connectors/session.ts';
import { STREAM_KINDS } from '../connectors/stream-kinds.ts';
import { at, StreamFailure } from './failure.ts';
import { endView } from './plan/end-view.ts';
import { faultWords } from './plan/fault-words.ts';
import { type PlannedStream, planStream, type StreamPlan } from './plan/plan.ts';
import type { StreamDefinition } from './definition.ts';
import type { RunError, RunMode, RunOrder, RunPorts, StreamReport, StreamState } from './run.ts';
import type { StreamWork } from './stream-work.ts';

/** Both ends of a run, with the streams that it concerns as they were found. */
export interface OpenEnds {
  readonly source: Session;
  readonly target: Session;
  readonly sourceStreams: ReadonlyMap<string, Stream>;
  readonly targetStreams: ReadonlyMap<string, Stream>;
}

/** Opens both ends and looks at the streams that are concerned. */
export async function lookAround(order: RunOrder, open: (end: 'source' | 'target') => Promise<Session>): Promise<OpenEnds> {
  const look = async (end: 'source' | 'target') => {
    const session = await open(end);
    return { session, streams: await lookAt(order, end, session, order.streams) };
  };
  const [source, target] = await Promise.all([look('source'), look('target')]);
  return { source: source.session, target: target.session, sourceStreams: source.streams, targetStreams: target.streams };
}

/** Looks at one stream again, which may have changed since. */
export async function lookAgain(order: RunOrder, ends: OpenEnds, state: StreamState): Promise<OpenEnds> {
  const look = (end: 'source' | 'target') => lookAt(order, end, ends[end], [state]);
  const [sourceStreams, targetStreams] = await Promise.all([look('source'), look('target')]);
  return { ...ends, sourceStreams, targetStreams };
}

async function lookAt(
  order: RunOrder,
  end: 'source' | 'target',
  session: Session,
  states: readonly StreamState[],
): Promise<ReadonlyMap<string, Stream>> {
  const names = new Set(states.map(({ index }) => order.definition.streams[index]?.[end] ?? ''));
  const streams = await at({ role: end, name: order[end].name }, async () => {
    const found = await session.discover([...names]);
    // What is written to may be still to come, as the file that tables are to be in. What is read from may be away as a whole: then that is what is wrong, and not its streams.
    if (end === 'source' && found.length === 0) await session.discover();
    return found;
  });
  return new Map(streams.map((stream) => [stream.name, stream]));
}

/** What a stream of a run needs, from outside of it. */
interface StreamJob {
  readonly order: RunOrder;
  readonly state: StreamState;
  readonly report: StreamReport;
  readonly ports: RunPorts;
  readonly signal: AbortSignal;
}

/** The work on one stream, planned by what both ends look like now. */
export function workOf({ order, state, report, ports, signal }: StreamJob, ends: OpenEnds): StreamWork {
  const plan = planOf(order, state, ends, ports, report);
  const sourceStream = ends.sourceStreams.get(plan.read.stream);
  const isWhole = plan.write.mode === 'mirror' || order.mode === 'full';
  report.estimated_total = isWhole ? (sourceStream?.estimatedRows ?? null) : null;
  return {
    order,
    plan,
    state,
    source: ends.source,
    target: ends.target,
    // By the ledger every read begins at the beginning.
    targetKeepsPosition: abilitiesOf(order.target.type).checkpoints || plan.isDelivered,
    mayBeSplit: mayBeSplit(order, sourceStream),
    ports,
    signal,
    report,
  };
}

/** Who wants to hear of changes, or nothing of them, is held to the fields of the first run. */
export async function rememberFields({ order, plan, state, ports }: StreamWork, { sourceStreams }: OpenEnds): Promise<void> {
  const stream = sourceStreams.get(plan.read.stream);
  // What is known of a file that has no rows at this moment is worth more than what it shows.
  if (stream && (state.fields === null || (order.definition.schema_changes === 'apply' && !tellsNothing(stream))))
    await ports.keepFields(state.index, stream.fields);
}

/** Whether a stream is large enough to be copied in parts, and both ends can do that. */
function mayBeSplit({ source, target, splitRows }: RunOrder, stream: Stream | undefined): boolean {
  const isLarge = splitRows > 0 && (stream?.estimatedRows ?? 0) >= splitRows;
  return isLarge && abilitiesOf(source.type).ranges === true && abilitiesOf(target.type).parts === true;
}

/** How the stream is to be done, by what both ends look like now. */
function planOf(order: RunOrder, state: StreamState, ends: OpenEnds, ports: RunPorts, report: StreamReport): StreamPlan {
  const definition = definitionOf(order, state);
  const found = knownFields(ends.sourceStreams.get(definition.source), state);
  const { plan, faults, notices, schemaChanges } = planFound(order, state, found, ends);
  if (schemaChanges.length > 0) report.schema_changes = schemaChanges;
  for (const message of notices) ports.log('warn', { stream: definition.source, message });
  if (plan) return plan;
  const [first = { field: `streams[${state.index}].source`, reason: 'cannot be done' }] = faults;
  const fault = { member: first.field.replace(/^streams\[\d+\]\./, ''), reason: first.reason };
  throw new StreamFailure({
    kind: 'config',
    code: 'DEFINITION_UNFIT',
    message: `The stream "${definition.source}" does not fit any more: ${faultWords(fault, definition)}`,
    hint:
      faults.length > 1
        ? `${faults.length === 2 ? 'There is another fault' : `There are ${faults.length - 1} more faults`}. Correct the synchronization, or the system.`
        : 'Correct the synchronization, or the system.',
    ...endAtFault(fault.member),
    field: first.field,
  });
}

/** At which end something is missing; of the others a person decides. */
function endAtFault(member: string): Pick<RunError, 'end'> {
  if (member === 'target') return { end: 'target' };
  return member === 'source' || /\.(?:from|field)$/.test(member) ? { end: 'source' } : {};
}

/** Modes that read the target, and need no right to write there. */
const COMPARES_ONLY: ReadonlySet<RunMode> = new Set(['verify', 'repair_preview']);

/** The plan of a stream that looks like this at the source. */
export function planFound(order: RunOrder, state: StreamState, found: Stream | undefined, { targetStreams }: OpenEnds): PlannedStream {
  const definition = definitionOf(order, state);
  return planStream({
    index: state.index,
    definition,
    source: endView(manifestOf(order.source.type), found),
    target: endView(manifestOf(order.target.type), targetStreams.get(definition.target)),
    schemaChanges: order.definition.schema_changes,
    known: state.fields,
    onlyReads: COMPARES_ONLY.has(order.mode),
  });
}

function definitionOf(order: RunOrder, { index }: StreamState): StreamDefinition {
  const definition = order.definition.streams[index];
  if (!definition) throw new Error(`There is no stream ${index}.`);
  return definition;
}

/** A file without rows says nothing about its types, or not even which fields it has. */
function tellsNothing({ kind, estimatedRows }: Stream): boolean {
  return STREAM_KINDS[kind].guessesTypes && estimatedRows === 0;
}

/** The stream with its fields; where it says nothing about them, they are what they were. */
function knownFields(stream: Stream | undefined, { fields }: StreamState): Stream | undefined {
  return stream && tellsNothing(stream) && fields ? { ...stream, fields } : stream;
}

export function abilitiesOf(type: string): Abilities {
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
