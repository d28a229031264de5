import type { Session } from '../connectors/session.ts';
import type { StreamDefinition } from './definition.ts';
import { abilitiesOf, lookAround, type OpenEnds, rememberFields, workOf } from './ends.ts';
import { at } from './failure.ts';
import { followLive } from './live/live-run.ts';
import { boundLog, retainedTooMuch } from './live/release.ts';
import { causeOf, fail, outcomeOf } from './outcome.ts';
import { previewStream } from './preview.ts';
import { mirrorStream } from './proof/mirror-differences.ts';
import { repairStream } from './proof/repair.ts';
import { verifyStream } from './proof/verify.ts';
import { newReport } from './progress.ts';
import { retryRejects } from './retry.ts';
import type { RunMode, RunOrder, RunOutcome, RunPorts } from './run.ts';
import { copyPart } from './stream.ts';
import { connectStructure } from './structure.ts';
import type { StreamWork } from './stream-work.ts';

/** Does one run. It never throws: whatever goes wrong is in the outcome. `signal.reason` is a StopReason. */
export async function executeRun(order: RunOrder, ports: RunPorts, signal: AbortSignal): Promise<RunOutcome> {
  const jobs = order.streams.map((state) => {
    const definition = order.definition.streams[state.index];
    if (!definition) throw new Error(`There is no stream ${state.index}.`);
    return { state, definition, report: newReport(definition) };
  });
  const opened = new Map<'source' | 'target', Session>();
  let isRolled = false;
  const open = (end: 'source' | 'target'): Promise<Session> =>
    at({ role: end, name: order[end].name }, async () => {
      const session = await ports.open(end);
      opened.set(end, session);
      return session;
    });
  try {
    const ends = await lookAround(order, open);
    if (isLive(order)) isRolled = await followLive({ order, ports, ends, jobs, signal });
    else {
      await sideBySide(largestFirst(jobs, order, ends), order.sideBySide, async ({ state, report }) => {
        report.status = 'running';
        ports.progress(state.index, report);
        try {
          signal.throwIfAborted();
          await doStream(workOf({ order, state, report, ports, signal }, ends), ends);
        } catch (error) {
          fail(report, await causeOf(state.index, error, ports, signal), ports, signal);
        }
        ports.progress(state.index, report);
      });
      await connectStructure(order, ends, { ports, reports: jobs.map(({ report }) => report), signal });
    }
  } catch (error) {
    const cause = await causeOf(jobs[0]?.state.index ?? 0, error, ports, signal);
    for (const { report } of jobs) if (report.status !== 'failed') fail(report, cause, ports, signal);
    if (isLive(order)) await boundSource(order, opened.get('source'), ports);
  } finally {
    await Promise.allSettled([...opened.values()].map((session) => session.close()));
  }
  const outcome = outcomeOf(
    jobs.map(({ state, report }) => ({ index: state.index, report })),
    signal,
  );
  // Streams that have stopped stop no others.
  return isRolled ? { ...outcome, status: outcome.status === 'succeeded' ? 'succeeded' : 'partial', rolled: true } : outcome;
}

/** A run that cannot get on, such as when the target is away for long, must not fill the disk of the source. */
async function boundSource({ syncId, definition }: RunOrder, source: Session | undefined, ports: RunPorts): Promise<void> {
  if (!source) return;
  try {
    const bytes = await boundLog(source, syncId, definition.max_retained);
    if (bytes !== undefined) ports.log('error', { message: retainedTooMuch(bytes, definition.max_retained).message });
  } catch {
    // It is away itself, and keeps what it keeps.
  }
}

/** Modes that read both ends as they are, and follow no log. */
const BESIDE_LOGS: ReadonlySet<RunMode> = new Set(['preview', 'verify', 'repair', 'repair_preview']);

/** Whether the run follows a log. A preview and the parts of a load are as those of a mirror. */
function isLive({ definition, mode, part }: RunOrder): boolean {
  return !BESIDE_LOGS.has(mode) && !part && definition.streams.some((stream) => stream.mode === 'cdc');
}

async function doStream(work: StreamWork, ends: OpenEnds): Promise<void> {
  const { order, plan } = work;
  if (order.part) return copyPart(work, order.part);
  const target = ends.targetStreams.get(plan.write.stream);
  if (order.mode === 'verify') return verifyStream(work, target);
  if (order.mode === 'repair' || order.mode === 'repair_preview') return repairStream(work, target);
  if (order.mode === 'preview') return previewStream(work, target, abilitiesOf(order.target.type).filters);
  if (order.mode === 'rejects' && plan.write.mode !== 'mirror') await retryRejects(work, abilitiesOf(order.source.type).filters);
  else await mirrorStream(work, ends.sourceStreams.get(plan.read.stream), target);
  await rememberFields(work, ends);
}

/**
 * Where all tables are still to be made with their structure, none refers to another yet, so that they may come in any order. The large ones first, as then no worker is left
 * alone with one in the end.
 */
function largestFirst<Job extends { readonly definition: StreamDefinition }>(
  jobs: readonly Job[],
  { definition: { structure } }: RunOrder,
  { sourceStreams, targetStreams }: OpenEnds,
): readonly Job[] {
  if (structure !== 'full' || jobs.some(({ definition: { target } }) => targetStreams.has(target))) return jobs;
  const sizeOf = ({ definition: { source } }: Job): number => {
    const found = sourceStreams.get(source);
    return found?.estimatedBytes ?? found?.estimatedRows ?? 0;
  };
  return jobs.toSorted((one, other) => sizeOf(other) - sizeOf(one));
}

/** Does all of them, so many at the same time. */
async function sideBySide<Job>(jobs: readonly Job[], most: number, work: (job: Job) => Promise<void>): Promise<void> {
  const waiting = [...jobs];
  const worker = async (): Promise<void> => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) await work(job);
  };
  await Promise.all(Array.from({ length: Math.max(1, most) }, worker));
}
