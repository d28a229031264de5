import type { RunOrder, TakenPart } from '../../../engine/run.ts';
import type { SourceService } from '../../sources/service.ts';
import type { Claimed } from '../queue/claim.ts';

/** A live run is closed after an hour and another one goes on, so that history, counts and metrics stay readable. */
const ROLL_AFTER = 60 * 60_000;

interface Options {
  sources: SourceService;
  streamsPerRun: number;
  /** Rows from which on a stream is copied in parts; 0 for never. */
  splitRows: () => Promise<number>;
}

/** Everything that the worker of a run, or of a part of it, has to know. */
export async function orderOf({ run, sync, states, approved }: Claimed, options: Options, part?: TakenPart): Promise<RunOrder> {
  const { sources, streamsPerRun, splitRows } = options;
  const [source, target, rows] = await Promise.all([sources.endOf(sync.source_id), sources.endOf(sync.target_id), splitRows()]);
  return {
    id: run.id,
    syncId: sync.id,
    mode: run.mode,
    token: BigInt(sync.token),
    approved,
    source,
    target,
    definition: sync.definition,
    streams: states,
    sideBySide: streamsPerRun,
    splitRows: rows,
    // What is only to try rejects again is over when it has.
    rollAfter: run.mode === 'rejects' ? 0 : ROLL_AFTER,
    ...(part && { part }),
  };
}
