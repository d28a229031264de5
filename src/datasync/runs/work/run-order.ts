import type { RunOrder, TakenPart } from '../../../engine/run.ts';
import type { SourceService } from '../../sources/service.ts';
import type { Claimed } from '../queue/claim.ts';

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
    ...(part && { part }),
  };
}
