import type { StreamDefinition, SyncDefinition } from '../../src/engine/definition.ts';
import type { End, Lag, RunOutcome, StopReason, StreamReport } from '../../src/engine/run.ts';
import { definitionOf, engineRuns, type EngineRuns } from './engine-run.ts';
import type { TestDatabase } from './postgres-database.ts';
import { until } from './until.ts';

/** A live synchronization, run by the engine alone. */
export interface LiveBench extends EngineRuns {
  /** Starts a run that goes on beside the test. */
  start(options?: Parameters<EngineRuns['run']>[0]): LiveRunOfTest;
}

export interface LiveRunOfTest {
  readonly reports: Map<number, StreamReport>;
  readonly lags: Lag[];
  readonly outcome: Promise<RunOutcome>;
  /** Tells it to stop, and waits until it has. */
  stop(reason?: StopReason): Promise<RunOutcome>;
  /** Waits until all streams follow the log. */
  live(): Promise<void>;
}

export interface LiveBenchOptions {
  readonly rollAfter?: number;
  readonly folder?: string;
  readonly syncId?: string;
  /** Higher than those of earlier benches of the same synchronization. */
  readonly firstToken?: bigint;
}

export function liveStream(source: string, more: Partial<StreamDefinition> = {}): StreamDefinition {
  return { source, target: source, mode: 'cdc', key: ['id'], cursor: null, fields: null, filter: [], deletes: 'delete', ...more };
}

/** Waits until a table of the target has what that of the source has. */
export async function untilEqual(
  { source, target }: { source: Pick<TestDatabase, 'rows'>; target: Pick<TestDatabase, 'rows'> },
  table: string,
  columns = '*',
): Promise<void> {
  const text = `select ${columns} from ${table} t order by 1`;
  await until(`${table} to be equal`, async () => {
    // A table or a column may not be there yet.
    const [one, other] = [await source.rows(text), await target.rows(text).catch(() => undefined)];
    return JSON.stringify(one) === JSON.stringify(other);
  });
}

export function liveBench(
  ends: { source: Omit<End, 'id' | 'name'>; target: Omit<End, 'id' | 'name'> },
  streams: readonly StreamDefinition[],
  more: Partial<SyncDefinition> & LiveBenchOptions = {},
): LiveBench {
  const { rollAfter, folder, syncId, firstToken, ...definition } = more;
  const runs = engineRuns({
    definition: definitionOf(streams, definition),
    ends: { source: { id: 'src_a', name: 'source', ...ends.source }, target: { id: 'src_b', name: 'target', ...ends.target } },
    ...(rollAfter !== undefined && { rollAfter }),
    ...(folder !== undefined && { folder }),
    ...(syncId !== undefined && { syncId }),
    ...(firstToken !== undefined && { firstToken }),
  });
  return {
    ...runs,
    start: (options = {}) => {
      const stopping = new AbortController();
      const reports = new Map<number, StreamReport>();
      const lags: Lag[] = [];
      const ports = {
        progress: (index: number, report: StreamReport) => void reports.set(index, { ...report }),
        lag: (lag: Lag) => void lags.push(lag),
        ...options.ports,
      };
      const outcome = runs.run({ ...options, ports, signal: stopping.signal });
      let isOver = false;
      void outcome.then(() => (isOver = true));
      return {
        reports,
        lags,
        outcome,
        stop: (reason = 'handed_over') => {
          stopping.abort(reason);
          return outcome;
        },
        live: async () =>
          void (await until('all streams live', async () => {
            if (isOver) throw new Error(`the run is over: ${JSON.stringify(await outcome)}`);
            return reports.size === streams.length && [...reports.values()].every(({ live }) => live === 'live');
          })),
      };
    },
  };
}
