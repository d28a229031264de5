import type { LogEntry } from '../../logs/entry.ts';
import type { RunError, StreamChanges } from '../../../engine/run.ts';
import { joinShopRows } from '../../access/marks.ts';
import type { Claimed } from '../queue/claim.ts';
import type { FinishedAttempt } from '../queue/finish.ts';
import type { LogLine } from '../work/run-messages.ts';
import { isProof } from '../rows/run-modes.ts';
import { proofOfRun, type RunProof } from '../rows/verified.ts';
import { reportsOf, type RunRow } from '../rows/run-row.ts';
import type { Rescheduled } from '../queue/set-right.ts';
import { mayQuote } from './veil.ts';

/** What the log tells of a run: that it began, what happened, and how it ended. */
export function begun({ run, sync, states }: Claimed): LogEntry {
  const again = run.attempt > 1 ? `, attempt ${run.attempt}` : '';
  return {
    level: 'info',
    syncId: sync.id,
    runId: run.id,
    message: `${named(run)} begins (${run.trigger}${again}).`,
    data: { trigger: run.trigger, mode: run.mode, attempt: run.attempt, streams: states.length },
  };
}

/** A schedule that waited for a time that was put down while the clock was ahead. */
export function rescheduled({ syncId, from, to }: Rescheduled): LogEntry {
  const message = `The clock was ahead and was set right: the next run, which was due at ${from}, is due at ${to ?? 'no time any more'}.`;
  return { level: 'warn', syncId, message, data: { was_due_at: from, due_at: to } };
}

/** A line of the run itself; of an error it knows at which end it happened. */
export function told({ run, sync }: Claimed, [level, { stream, message, data }]: LogLine): LogEntry {
  const end = data?.['end'];
  const sourceId = end === 'source' ? sync.source_id : end === 'target' ? sync.target_id : undefined;
  return {
    level,
    syncId: sync.id,
    runId: run.id,
    message,
    ...(stream !== undefined && { stream }),
    ...(sourceId !== undefined && { sourceId }),
    ...(data && { data }),
    ...quoted(run, data?.['code']),
  };
}

/** What an error says may quote rows; whose they are goes along. */
function quoted({ shop }: Pick<RunRow, 'shop'>, code: unknown): Pick<LogEntry, 'shop'> {
  return typeof code === 'string' && mayQuote(code) ? { shop: joinShopRows(shop, shop) } : {};
}

export function ended(run: FinishedAttempt): LogEntry {
  const error = run.error === null ? null : (JSON.parse(run.error) as RunError);
  const counts = {
    read: run.rows_read,
    inserted: run.inserted,
    updated: run.updated,
    deleted: run.deleted,
    unchanged: run.unchanged,
    rejected: run.rejected,
  };
  const [level, message] = ending(run);
  return {
    level,
    syncId: run.sync_id,
    runId: run.id,
    message: [message, error?.message, error?.hint, run.paused].filter(Boolean).join(' '),
    data: {
      status: run.status,
      duration_ms: run.duration_ms,
      ...counts,
      bytes: run.bytes,
      ...((run.mode === 'preview' || run.mode === 'repair_preview') && { changes: changesOf(run) }),
      ...(isProof(run.mode) && { proof: proofOfRun(reportsOf(run)) }),
      ...(run.paused !== undefined && { paused: true }),
      ...(error && { kind: error.kind, code: error.code }),
    },
    ...quoted(run, error?.code),
  };
}

function ending(run: FinishedAttempt): [level: LogEntry['level'], message: string] {
  const proof = isProof(run.mode) && (run.status === 'succeeded' || run.status === 'partial') ? proofOfRun(reportsOf(run)) : null;
  if (proof) return [proof.result === 'equal' ? 'info' : 'warn', proven(run, proof)];
  if (run.mode === 'preview' && (run.status === 'succeeded' || run.status === 'partial')) return ['info', previewed(run)];
  switch (run.status) {
    case 'succeeded':
      return ['info', run.live === 0 ? `The run succeeded: ${amounts(run)}.` : closed(run)];
    case 'partial':
      return ['warn', `The run ended with rejected rows: ${amounts(run)}, ${run.rejected} rejected.`];
    case 'failed':
      return ['error', `${named(run)} failed.`];
    case 'retrying':
      return ['warn', `The run did not get through; attempt ${run.attempt} is at ${run.not_before}.`];
    case 'needs_approval':
      return ['warn', 'The run waits for approval.'];
    case 'queued':
      return [
        'info',
        run.stoodAside
          ? `${named(run)} has reached a checkpoint, and begins anew from there.`
          : 'The service stops: the run goes on where it is, here or on another node.',
      ];
    default:
      return ['info', `${named(run)} is ${run.status}: ${amounts(run)}.`];
  }
}

function amounts({ rows_read, inserted, updated, deleted }: RunRow): string {
  const done = Object.entries({ inserted, updated, deleted }).flatMap(([what, n]) => (n > 0 ? [`${n} ${what}`] : []));
  return `${read(rows_read)}, ${done.length > 0 ? done.join(', ') : 'nothing to change'}`;
}

function read(rows: number): string {
  return rows === 1 ? '1 row read' : `${rows} rows read`;
}

function named({ mode, live }: RunRow): string {
  return NAMES[mode] ?? (live === 0 ? 'The run' : 'The live run');
}

const NAMES: Partial<Record<RunRow['mode'], string>> = {
  preview: 'The preview',
  verify: 'The verify',
  repair: 'The repair',
  repair_preview: 'The preview of a repair',
};

/** What was found when both ends were compared. */
function proven(run: RunRow, { result, rows, missing, extra, different }: RunProof): string {
  const compared = rows === 1 ? '1 row was compared' : `${rows} rows were compared`;
  const wrong = `${missing} missing, ${extra} extra, ${different} different`;
  const found = { equal: 'both ends are equal', differs: `they differ: ${wrong}`, changing: 'rows that differ keep changing' }[result];
  const done = run.mode === 'repair' ? ` Repaired: ${amounts(run)}.` : '';
  return `${named(run)} is done: ${compared}, ${found}.${done}`;
}

function closed(run: RunRow): string {
  const why = run.rolled === 0 ? 'has ended at a checkpoint' : 'was closed after its time, and the next one goes on';
  return `The live run ${why}: ${amounts(run)}.`;
}

function previewed(run: RunRow): string {
  const { inserted, updated, deleted } = changesOf(run);
  const would = Object.entries({ insert: inserted, update: updated, delete: deleted, reject: run.rejected })
    .flatMap(([what, n]) => (n > 0 ? [`${what} ${n}`] : []))
    .join(', ');
  return `The preview is done, and nothing was written: ${read(run.rows_read)}; a run would ${would || 'change nothing'}.`;
}

/** What a preview found, of all streams together. */
function changesOf(run: RunRow): Omit<StreamChanges, 'samples'> {
  const found = reportsOf(run).flatMap(({ changes }) => changes ?? []);
  const sum = (name: 'inserted' | 'updated' | 'deleted' | 'unchanged'): number => found.reduce((total, one) => total + one[name], 0);
  return { inserted: sum('inserted'), updated: sum('updated'), deleted: sum('deleted'), unchanged: sum('unchanged') };
}
