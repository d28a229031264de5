import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach } from 'node:test';
import { withDefaults } from '../../src/connectors/config-values.ts';
import type { Field } from '../../src/connectors/contract.ts';
import type { Session } from '../../src/connectors/session.ts';
import { reachOf } from '../../src/outside/reach.ts';
import { loadConnector } from '../../src/connectors/load.ts';
import { rootsOf } from '../../src/outside/roots.ts';
import type { StreamDefinition, SyncDefinition } from '../../src/engine/definition.ts';
import { executeRun } from '../../src/engine/execute.ts';
import type {
  Counts,
  End,
  KeptReject,
  LedgerSegment,
  RunMode,
  RunOrder,
  RunOutcome,
  RunPorts,
  StreamReport,
} from '../../src/engine/run.ts';

/** What the service would remember of one stream. */
interface Remembered {
  generation: number;
  fields: readonly Field[] | null;
  position: string | null;
  note: string | null;
  rows: number | null;
  rejects: Map<string, KeptReject & { run: string }>;
  /** What a target that cannot be read back has accepted. */
  ledger: (Omit<LedgerSegment, 'isMine'> & { run: string })[];
}

interface RunOptions {
  mode?: RunMode;
  approved?: boolean;
  /** The id of an earlier run, to go on with it. */
  id?: string;
  signal?: AbortSignal;
  token?: bigint;
  /** Stands in front of a port, to fail or to look. */
  ports?: Partial<RunPorts>;
}

/** A synchronization, run by the engine alone: what the service remembers is remembered here. */
export interface EngineRuns {
  readonly streams: Remembered[];
  /** What the target told of earlier runs. */
  readonly recounts: Map<string, Counts>;
  readonly log: { level: string; message: string; stream?: string }[];
  run(options?: RunOptions): Promise<RunOutcome & { id: string; first: StreamReport }>;
  openRejects(index?: number): KeptReject[];
  /** A way to one end, as runs open it. */
  open(end: 'source' | 'target', signal?: AbortSignal): Promise<Session>;
}

/** One between two SQLite files. */
export interface EngineBench extends EngineRuns {
  readonly folder: string;
  readonly source: DatabaseSync;
  readonly target: DatabaseSync;
  rows(table: string): unknown[];
  close(): void;
}

const DEFAULTS: Omit<SyncDefinition, 'streams'> = {
  direction: 'source_to_target',
  on_reject: 'quarantine',
  guard: { max_delete_percent: 20, allow_empty: false },
  schema_changes: 'apply',
  on_gap: 'load',
  max_retained: 10_000_000_000,
};

export function streamOf(source: string, more: Partial<StreamDefinition> = {}): StreamDefinition {
  const deletes = more.mode === undefined || more.mode === 'mirror' ? 'delete' : 'keep';
  return { source, target: source, mode: 'mirror', key: ['id'], cursor: null, fields: null, filter: [], deletes, ...more };
}

interface EngineRunsOptions {
  readonly definition: SyncDefinition;
  readonly ends: { readonly source: End; readonly target: End };
  /** Where files may lie. */
  readonly folder?: string;
  readonly syncId?: string;
  readonly rollAfter?: number;
  readonly firstToken?: bigint;
}

export function engineRuns({
  definition,
  ends,
  folder = '/nowhere',
  syncId = 'syn_1',
  rollAfter = 3_600_000,
  firstToken = 1n,
}: EngineRunsOptions): EngineRuns {
  const remembered = definition.streams.map(
    (): Remembered => ({ generation: 1, fields: null, position: null, note: null, rows: null, rejects: new Map(), ledger: [] }),
  );
  const log: EngineRuns['log'] = [];
  const recounts: EngineRuns['recounts'] = new Map();
  let runs = 0;
  let token = firstToken - 1n;
  const memory = (index: number): Remembered => remembered[index] as Remembered;

  const open = async (end: 'source' | 'target', signal = new AbortController().signal): Promise<Session> => {
    const connector = await loadConnector(ends[end].type);
    const context = { reach: reachOf('any'), roots: rootsOf({ folders: [folder], dataDir: join(folder, 'own') }), signal };
    return connector.open(withDefaults(connector.manifest.config, ends[end].config) as never, context);
  };

  return {
    streams: remembered,
    log,
    recounts,
    open,
    run: async (options = {}) => {
      const id = options.id ?? `run_${String(++runs).padStart(3, '0')}`;
      const order: RunOrder = {
        id,
        syncId,
        mode: options.mode ?? 'run',
        token: options.token ?? ++token,
        approved: options.approved ?? false,
        ...ends,
        definition,
        sideBySide: 2,
        splitRows: 0,
        rollAfter,
        streams: remembered.map(({ generation, fields, position, note, rows, rejects }, index) => ({
          index,
          generation,
          fields,
          position,
          note,
          rows,
          openRejects: rejects.size,
        })),
      };
      const signal = options.signal ?? new AbortController().signal;
      const ports: RunPorts = {
        open: (end) => open(end, signal),
        progress: () => {},
        log: (level, entry) => log.push({ level, ...entry }),
        lag: () => {},
        keepRejects: async (index, rejects) => {
          for (const reject of rejects) memory(index).rejects.set(reject.identity, { ...reject, run: id });
        },
        listRejects: async (index, after = '') =>
          [...memory(index).rejects.values()]
            .filter(({ identity }) => identity > after)
            .sort((a, b) => (a.identity < b.identity ? -1 : 1))
            .slice(0, 3),
        resolveRejects: async (index, which) => {
          const { rejects } = memory(index);
          for (const { identity, run } of rejects.values())
            if (which === 'unseen' ? run !== id : which.includes(identity)) rejects.delete(identity);
        },
        keepPosition: async (index, position, note) => {
          if (position !== null) memory(index).position = position;
          if (note !== undefined) memory(index).note = note;
        },
        listDelivered: async (index, after) =>
          memory(index)
            .ledger.filter(({ seq }) => seq > after)
            .slice(0, 2)
            .map(({ run, ...segment }) => ({ ...segment, isMine: run === id })),
        keepDelivered: async (index, entries, note) => {
          const { ledger, generation } = memory(index);
          if (note !== null) memory(index).note = note;
          if (entries === '') return 0;
          const seq = (ledger.at(-1)?.seq ?? 0) + 1;
          ledger.push({ seq, generation, run: id, entries });
          return seq;
        },
        joinDelivered: async (index, { from, ...segment }) => {
          const { ledger } = memory(index);
          const others = ledger.filter(({ seq }) => seq < from || seq > segment.seq);
          const joined = segment.entries === '' ? [] : [{ ...segment, run: id }];
          memory(index).ledger = [...others, ...joined].sort((one, other) => one.seq - other.seq);
        },
        keepFields: async (index, fields) => {
          memory(index).fields = fields;
        },
        recount: async (_index, run, counts) => {
          recounts.set(run, counts);
        },
        keepRows: async (index, rows) => {
          memory(index).rows = rows;
        },
        isOurs: async () => true,
        liveFront: async () => ({ isFollowing: false, position: null }),
        nudgeLive: async () => {},
        offerParts: async () => {},
        takePart: async () => ({ taken: null, open: 0, error: null }),
        endPart: async () => {},
        ...options.ports,
      };
      const outcome = await executeRun(order, ports, signal);
      return { ...outcome, id, first: outcome.streams[0]?.report as StreamReport };
    },
    openRejects: (index = 0) => [...memory(index).rejects.values()],
  };
}

/** What a definition says where a test does not. */
export function definitionOf(streams: readonly StreamDefinition[], more: Partial<SyncDefinition> = {}): SyncDefinition {
  return { ...DEFAULTS, ...more, streams };
}

/** Two SQLite files. */
function engineBench(streams: readonly StreamDefinition[], more: Partial<SyncDefinition> = {}): EngineBench {
  const folder = mkdtempSync(join(tmpdir(), 'syncline-engine-'));
  const paths = { source: join(folder, 'source.db'), target: join(folder, 'target.db') };
  const source = new DatabaseSync(paths.source);
  const target = new DatabaseSync(paths.target);
  for (const db of [source, target]) db.exec('pragma journal_mode = wal');
  const endOf = (role: 'source' | 'target'): End => ({ id: `src_${role}`, name: role, type: 'sqlite', config: { path: paths[role] } });
  const ends = { source: endOf('source'), target: endOf('target') };
  return {
    ...engineRuns({ definition: definitionOf(streams, more), ends, folder }),
    folder,
    source,
    target,
    rows: (table) =>
      target
        .prepare(`select * from ${table} order by 1`)
        .all()
        .map((row) => ({ ...row })),
    close: () => {
      source.close();
      target.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Gives a function that makes a bench whose source is filled by `sql`; each is closed when its test has ended. */
export function benchesOfTests(): (streams: readonly StreamDefinition[], sql: string, more?: Partial<SyncDefinition>) => EngineBench {
  const open: EngineBench[] = [];
  afterEach(() => {
    for (const bench of open.splice(0)) bench.close();
  });
  return (streams, sql, more = {}) => {
    const bench = engineBench(streams, more);
    open.push(bench);
    bench.source.exec(sql);
    return bench;
  };
}

export const NOTHING = { read: 0, inserted: 0, updated: 0, deleted: 0, unchanged: 0, rejected: 0 };

/** What a report counted, without what differs from run to run. */
export function countsOf({ read, inserted, updated, deleted, unchanged, rejected }: Counts): typeof NOTHING {
  return { read, inserted, updated, deleted, unchanged, rejected };
}
