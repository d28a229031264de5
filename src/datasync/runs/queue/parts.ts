import { bulk } from '../../../db/bulk.ts';
import { command, type Connection } from '../../../db/database.ts';
import { databaseTime, databaseTimeText } from '../../../db/database-time.ts';
import { byEngine, integer, raw, type Sql, sql } from '../../../db/sql.ts';
import type { Range } from '../../../connectors/contract.ts';
import type { PartsLeft, RunError, TakenPart } from '../../../engine/run.ts';
import { cancelJobs, enqueueJobs, takeJobs } from '../../../jobs/dispatcher.ts';
import { isoTime } from '../../../lib/clock.ts';
import { type Claimed, claimedOf, statesOf } from './claim.ts';
import type { RunRow } from '../rows/run-row.ts';
import { readSyncs, type SyncOfRun } from '../rows/sync-state.ts';
import { isOurs, isPart, type PartKey, type Speaker } from '../rows/stream-memory.ts';
import { allAtWork, sourcesInUse, use, usesOf, waitForOtherClaims } from './uses.ts';

// The parts in which large streams are copied. A row only says who may work on a part: how far it is, the target knows.

interface PartRow {
  run_id: string;
  target: string;
  part: number;
  split: string;
  /** JSON: a Range. */
  bounds: string;
  token: number;
}

const TAKEN = raw('run_id, target, part, split, bounds, token');

export function partKey(runId: string, target: string, { split, index }: TakenPart): PartKey {
  return { runId, target, split, index };
}

interface Offer extends Speaker {
  target: string;
  split: string;
  /** The version of the synchronization that the parts are of: a part must not be done by another version. */
  version: number;
  parts: { range: Range; isDone: boolean }[];
}

/** Offers the parts of a stream, in place of those that were offered before. False: another worker has the run now. */
export const offerParts = command(import.meta.url, 'offerParts', async (tx, input: Offer): Promise<boolean> => {
  if (!(await isOurs(tx, input))) return false;
  const { runId, target, split, version, parts } = input;
  await tx.all(sql`delete from run_parts where run_id = ${runId} and target = ${target}`);
  const rows = parts.map(({ range, isDone }, part) => [part, JSON.stringify(range), isDone ? 'done' : 'waiting']);
  if (rows.length > 0)
    await tx.all(sql`
      insert into run_parts (run_id, target, part, split, version, bounds, status, token)
      select ${runId}, ${target}, part, ${split}, ${version}, bounds, status, 0
      from ${bulk({ part: 'bigint', bounds: 'json', status: 'text' }, rows)} as input where true`);
  await tellHelpers(tx, input, parts.filter(({ isDone }) => !isDone).length);
  return true;
});

/** So many are told at first that there is something to help with. A worker that is through with a part looks for another without a hint. */
const HELPERS = 16;

async function tellHelpers(tx: Connection, { runId, target }: Offer, open: number): Promise<void> {
  const keys = Array.from({ length: HELPERS }, (_, n) => `${runId} ${target} ${n}`);
  if (open === 0) await cancelJobs(tx, 'parts', keys);
  else
    await enqueueJobs(
      tx,
      'parts',
      keys.slice(0, open).map((key) => ({ key })),
    );
}

/** No worker has it, or the one that did has not been heard of for too long. */
function isFree(now: number): Sql {
  return sql`(run_parts.status = 'waiting' or run_parts.status = 'running' and run_parts.lease_until < ${databaseTimeText(now)})`;
}

/** A worker that takes it at this moment has it. */
const skipLocked = byEngine((engine) => raw(engine === 'postgres' ? 'for update skip locked' : ''));

/** Takes some of the free parts of a run for a while; without `lease`, for as long as the worker of the run has the run. */
function takeSome(tx: Connection, which: Sql, now: number, most: number, lease?: { node: string; until: string }): Promise<PartRow[]> {
  const keys = raw('run_id, target, part');
  return tx.all<PartRow>(sql`
    with free as materialized (
      select ${keys} from run_parts where ${which} and ${isFree(now)} order by ${keys} limit ${integer(most)} ${skipLocked})
    update run_parts set status = 'running', node = ${lease?.node ?? null}, lease_until = ${lease?.until ?? null}, token = token + 1
    where (${keys}) in (select ${keys} from free) returning ${TAKEN}`);
}

function takenPart({ split, part, bounds, token }: PartRow): TakenPart {
  return { split, index: part, range: JSON.parse(bounds) as Range, token };
}

/** Takes a part for the node that has the run, and tells what is left. Null: another worker has the run now. */
export const takePart = command(
  import.meta.url,
  'takePart',
  async (tx, input: Speaker & { target: string; now: number }): Promise<PartsLeft | null> => {
    if (!(await isOurs(tx, input))) return null;
    const ofStream = sql`run_id = ${input.runId} and target = ${input.target}`;
    const [taken] = await takeSome(tx, ofStream, input.now, 1);
    const [left] = await tx.all<{ open: number; error: string | null }>(sql`
      select count(*) as open, max(error) as error from run_parts where ${ofStream} and status <> 'done'`);
    const failed = left?.error ?? null;
    return {
      taken: taken ? takenPart(taken) : null,
      open: left?.open ?? 0,
      error: failed === null ? null : (JSON.parse(failed) as RunError),
    };
  },
);

interface EndedPart extends PartKey {
  token: number;
  /** `waiting`: another worker may go on with it. `failed`: the run has to be told. */
  status: 'done' | 'waiting' | 'failed';
  error: RunError | null;
}

/** Writes down what became of a part. False: another worker has it now, or none. */
export const endPart = command(import.meta.url, 'endPart', async (tx, { token, status, error, ...key }: EndedPart): Promise<boolean> => {
  const rows = await tx.all(sql`
    update run_parts set status = ${status}, node = null, lease_until = null, error = ${error && JSON.stringify(error)}
    where ${isPart(key)} and token = ${token} and status = 'running' returning 1`);
  if (status === 'waiting' && rows.length > 0) await enqueueJobs(tx, 'parts', [{ key: `${key.runId} ${key.target} ${key.index}` }]);
  return rows.length > 0;
});

export interface ClaimedPart {
  /** The run, with the one stream that the part is of. */
  claimed: Claimed;
  target: string;
  part: TakenPart;
}

interface PartRequest {
  now: number;
  node: string;
  most: number;
  leaseMs: number;
  perSource: number;
}

type Candidate = Pick<SyncOfRun, 'source_id' | 'target_id'> & { id: string };

/**
 * Takes parts of runs that are under way on this or another node, which has no room for them at the moment. A node that helps uses a
 * source like a run does, and keeps to the same limit.
 */
export const claimParts = command(import.meta.url, 'claimParts', async (tx, request: PartRequest): Promise<ClaimedPart[]> => {
  // Jobs say that there is something. What there is, the rows say.
  await takeJobs(tx, 'parts', request.most);
  const free = await tx.all(sql`select 1 from run_parts where ${isFree(request.now)} limit 1`);
  if (free.length === 0) return [];
  await waitForOtherClaims(tx);
  const [atWork, now] = await Promise.all([allAtWork(tx), databaseTime(tx, request.now)]);
  const uses = sourcesInUse(atWork);
  const candidates = await tx.all<Candidate>(sql`
    select distinct runs.id, source_id, target_id
    from run_parts join runs on runs.id = run_parts.run_id join syncs on syncs.id = runs.sync_id
    where ${isFree(now)} and runs.status = 'running' and runs.cancelled = 0 and run_parts.version = syncs.version order by runs.id`);
  const taken: PartRow[] = [];
  for (const run of candidates) {
    const room = Math.min(request.most - taken.length, request.perSource - usesOf(uses, run));
    if (room <= 0) continue;
    const lease = { node: request.node, until: isoTime(now + request.leaseMs) };
    const rows = await takeSome(tx, sql`run_id = ${run.id}`, now, room, lease);
    for (const row of rows) {
      use(uses, run);
      taken.push(row);
    }
  }
  return Promise.all(taken.map((row) => claimedPart(tx, row)));
});

async function claimedPart(tx: Connection, row: PartRow): Promise<ClaimedPart> {
  const [runs, syncs] = await Promise.all([
    tx.all<RunRow>(sql`select * from runs where id = ${row.run_id}`),
    readSyncs(tx, sql`(select sync_id from runs where id = ${row.run_id})`),
  ]);
  const [run, sync] = [runs[0] as RunRow, syncs[0] as SyncOfRun];
  const states = await statesOf(tx, [run], new Map([[sync.id, sync]]));
  const claimed = claimedOf(run, sync, states);
  const ofStream = claimed.states.filter(({ target }) => target === row.target);
  return { claimed: { ...claimed, states: ofStream }, target: row.target, part: takenPart(row) };
}

interface PartBeat {
  now: number;
  leaseMs: number;
  parts: (PartKey & { token: number })[];
}

/** A node tells that it is alive and still works on parts; it hears which of them are its own, and to be gone on with. */
export const beatParts = command(import.meta.url, 'beatParts', async (tx, { now: given, leaseMs, parts }: PartBeat): Promise<boolean[]> => {
  const now = await databaseTime(tx, given);
  const isWanted = sql`exists (select 1 from runs where runs.id = run_id and runs.cancelled = 0)`;
  const answers: boolean[] = [];
  for (const { token, ...key } of parts) {
    const rows = await tx.all(sql`
      update run_parts set lease_until = ${isoTime(now + leaseMs)}
      where ${isPart(key)} and token = ${token} and status = 'running' and ${isWanted} returning 1`);
    answers.push(rows.length > 0);
  }
  return answers;
});
