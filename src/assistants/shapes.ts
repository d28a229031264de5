import { isJsonObject, type JsonObject } from '../lib/exact-json.ts';
import { pick } from './told.ts';

// What an assistant is shown of a thing: what explains it, and no more. Positions are left out, and rows of other systems unless they were asked for.

const COUNTS = ['read', 'inserted', 'updated', 'deleted', 'unchanged', 'rejected'];

export function sourceShape(source: unknown): JsonObject {
  return pick(source, ['id', 'name', 'type', 'status', 'status_message', 'checked_at', 'created_at', 'updated_at']);
}

export function syncShape(sync: unknown): JsonObject {
  const { streams = [], last_run, current_run } = sync as { streams?: unknown[]; last_run?: unknown; current_run?: unknown };
  const told = [
    'id',
    'name',
    'status',
    'health',
    'health_code',
    'health_reason',
    'source_id',
    'target_id',
    'schedule',
    'next_run_at',
    'lag',
    'verified',
  ];
  return {
    ...pick(sync, told),
    streams: streams.map((stream) => pick(stream, ['source', 'target', 'mode'])),
    last_run: briefRun(last_run),
    current_run: briefRun(current_run),
  };
}

function briefRun(run: unknown): JsonObject | null {
  return isJsonObject(run) ? pick(run, ['id', 'status', 'mode', 'created_at', 'finished_at', 'error']) : null;
}

const RUN = ['id', 'sync_id', 'status', 'trigger', 'mode', 'attempt', 'created_at', 'next_attempt_at', 'started_at', 'finished_at'];

/** A run, with at most so many rows of what it would change, or of what differs. */
export function runShape(run: unknown, rows = 0): JsonObject {
  const { streams = [] } = run as { streams?: unknown[] };
  let left = rows;
  const fewer = (part: unknown): JsonObject | undefined => {
    if (!isJsonObject(part)) return undefined;
    const { samples = [], ...rest } = pick(part, ['samples', 'result', 'rows', 'missing', 'extra', 'different', 'changing', ...COUNTS]);
    const shown = (samples as unknown[]).slice(0, left);
    left -= shown.length;
    return { ...rest, ...(shown.length > 0 && { samples: shown }) };
  };
  return {
    ...pick(run, [...RUN, 'duration_ms', 'error', 'live', 'lag']),
    totals: pick((run as JsonObject)['totals'], COUNTS),
    streams: streams.map((stream) => {
      const { changes, proof } = stream as JsonObject;
      return {
        ...pick(stream, ['name', 'target', 'status', ...COUNTS, 'error', 'schema_changes', 'warnings', 'live']),
        ...(changes !== undefined && { changes: fewer(changes) }),
        ...(proof !== undefined && { proof: fewer(proof) }),
      };
    }),
  };
}
