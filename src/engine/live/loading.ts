import type { ChangeLog } from '../../connectors/changes.ts';
import type { Stream } from '../../connectors/contract.ts';
import type { Position } from '../../connectors/batch.ts';
import { lookAgain, type OpenEnds, rememberFields, workOf } from '../ends.ts';
import { at } from '../failure.ts';
import { added, newReport } from '../progress.ts';
import type { Counts, RunOrder, RunPorts } from '../run.ts';
import { copyStream } from '../stream.ts';
import { ApprovalNeeded } from './guard.ts';
import { hasLostField, MOST_LOOKS } from './faults.ts';
import type { LiveStream } from './live-stream.ts';
import { spelled } from './refit.ts';

/** What a load has brought. */
export interface Loaded {
  /** The end of the log when it was through: it may have seen everything before. */
  readonly joinAt: Position;
  /** What it has done. */
  readonly counts: Counts;
  readonly rows: number;
  /** The fields that it has read, with their types. */
  readonly fields: readonly string[];
}

interface LoadOptions {
  readonly order: RunOrder;
  readonly ports: RunPorts;
  readonly ends: OpenEnds;
  readonly log: ChangeLog;
  readonly signal: AbortSignal;
  /** The run that has loaded it in part before this one, and was interrupted. */
  readonly interrupted: string | undefined;
}

/** Loads a stream as ever, by a mirror, while the log is kept. Afterwards it joins the log. What changes meanwhile is looked at again. */
export async function loadStream(stream: LiveStream, options: LoadOptions): Promise<Loaded> {
  for (let looks = 0; ; looks++) {
    try {
      return await load(stream, options);
    } catch (error) {
      if (looks >= MOST_LOOKS || !hasLostField(error)) throw error;
    }
  }
}

async function load(stream: LiveStream, { order, ports, ends, log, signal, interrupted }: LoadOptions): Promise<Loaded> {
  const { state, report } = stream;
  const before = stream.note.counts;
  const mine = newReport({ source: report.name, target: report.target });
  const tell = (): void => {
    const { rows_per_second, estimated_total, checkpoint } = mine;
    Object.assign(report, added(before, mine), { rows_per_second, estimated_total, checkpoint });
    ports.progress(state.index, report);
  };
  const loadPorts: RunPorts = {
    ...ports,
    progress: tell,
    // What was loaded by a run that lived to join it is counted in its note.
    recount: async (index, run, counts) => (run === interrupted ? ports.recount(index, run, counts) : undefined),
  };
  const now = await lookAgain(order, ends, state);
  const work = workOf({ order, state, report: mine, ports: loadPorts, signal }, now);
  if (mine.schema_changes) report.schema_changes = mine.schema_changes;
  await stream.refit({ plan: work.plan, found: now.sourceStreams.get(work.plan.read.stream) as Stream });
  await copyStream(work);
  if (mine.warnings) report.warnings = mine.warnings;
  tell();
  if (mine.status === 'needs_approval' && mine.error)
    throw new ApprovalNeeded(stream, mine.error, mine.changes ?? { inserted: 0, updated: 0, deleted: 0, unchanged: 0 });
  await rememberFields(work, now);
  const joinAt = await at({ role: 'source', name: order.source.name }, () => log.end());
  return { joinAt, counts: added(before, mine), rows: mine.read - mine.rejected, fields: work.plan.sourceFields.map(spelled) };
}
