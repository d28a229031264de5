import assert from 'node:assert/strict';
import { after, describe } from 'node:test';
import { beat } from '../../src/datasync/runs/queue/beat.ts';
import { claimLiveRuns } from '../../src/datasync/runs/queue/claim-live.ts';
import { type RunClaimant, type Claimed, type ClaimRequest, claimRuns } from '../../src/datasync/runs/queue/claim.ts';
import { enqueueRun, type NewRun } from '../../src/datasync/runs/queue/enqueue.ts';
import { type FinishedAttempt, finishRuns } from '../../src/datasync/runs/queue/finish.ts';
import { findRun } from '../../src/datasync/runs/rows/queries.ts';
import type { RunRow } from '../../src/datasync/runs/rows/run-row.ts';
import { SYNCS } from '../../src/datasync/runs/rows/sync-state.ts';
import type { Database } from '../../src/db/database.ts';
import { type Engine, sql } from '../../src/db/sql.ts';
import { newReport } from '../../src/engine/progress.ts';
import type { ErrorKind } from '../../src/outside/errors.ts';
import type { RunOutcome, StreamReport, StreamStatus } from '../../src/engine/run.ts';
import { AppError } from '../../src/lib/errors.ts';
import { runStatement } from './commands.ts';
import { ENGINES, openTestDatabase } from './databases.ts';
import { streamOf } from './sync-fixture.ts';

const LEASE = 15_000;
const LONG_AGO = '2000-01-01T00:00:00.000Z';

/** Does with runs what people and nodes do, step by step. */
export class RunDriver {
  readonly #db: Database;
  /** SQLite's runs live by this clock, PostgreSQL's by its own. */
  now = Date.now();

  constructor(db: Database) {
    this.#db = db;
  }

  enqueue(syncId: string, more: Partial<NewRun> = {}): Promise<RunRow> {
    return this.#db.write(enqueueRun, { now: this.now, syncId, trigger: 'manual', mode: 'run', streams: null, ...more });
  }

  async claim(more: Partial<ClaimRequest> = {}): Promise<Claimed[]> {
    const request = {
      now: this.now,
      node: 'n1',
      most: 10,
      leaseMs: LEASE,
      perSource: 4,
      perKey: 10,
      ofKeys: 10,
      crowded: false,
      overdue: false,
      ...more,
    };
    return (await this.#db.write(claimRuns, request)).claimed;
  }

  claimLive(more: Partial<RunClaimant> = {}): Promise<Claimed[]> {
    return this.#db.write(claimLiveRuns, { now: this.now, node: 'n1', most: 10, leaseMs: LEASE, ...more });
  }

  /** Claims the only run that there is to claim. */
  async claimOne(): Promise<Claimed> {
    const claimed = await this.claim();
    assert.equal(claimed.length, 1);
    return claimed[0] as Claimed;
  }

  async finish({ run, sync }: Claimed, outcome: RunOutcome): Promise<FinishedAttempt | null> {
    const finished = [{ id: run.id, token: sync.token, outcome }];
    return (await this.#db.write(finishRuns, { now: this.now, finished }))[0] ?? null;
  }

  async beat({ run, sync }: Claimed, report: StreamReport[] = [], leaseMs = LEASE): Promise<string | null | undefined> {
    const pulses = await this.#db.write(beat, { now: this.now, runs: [{ id: run.id, token: sync.token, leaseMs, report }] });
    return pulses[0]?.stop;
  }

  async row(id: string): Promise<RunRow> {
    return (await findRun(this.#db.read, id)) as RunRow;
  }

  async sync(id: string): Promise<Record<string, unknown>> {
    const [row] = await this.#db.read.all<Record<string, unknown>>(sql`select * from ${SYNCS} where id = ${id}`);
    return row ?? {};
  }

  async eventsOf(id: string): Promise<string[]> {
    const rows = await this.#db.read.all<{ type: string }>(sql`select type from events where object_id = ${id} order by seq`);
    return rows.map(({ type }) => type);
  }

  /** Lets a run that waits for its next try be tried now. */
  letBegin(id: string): Promise<unknown> {
    return this.#db.write(runStatement, `update runs set not_before = '${LONG_AGO}' where id = '${id}'`);
  }

  /** The node of a run is gone, and has been for a while. */
  letLeaseEnd(id: string): Promise<unknown> {
    return this.#db.write(runStatement, `update runs set lease_until = '${LONG_AGO}' where id = '${id}'`);
  }
}

interface RunsGiven {
  engine: Engine;
  db: Database;
  runs: RunDriver;
}

/** The same suite about runs on both engines, each with a database of its own and somebody who drives it. */
export function onBothEnginesWithRuns(name: string, suite: (given: RunsGiven) => void): void {
  for (const engine of ENGINES) {
    describe(`${name} (${engine})`, async () => {
      const db = await openTestDatabase(engine);
      after(() => db.close());
      suite({ engine, db, runs: new RunDriver(db) });
    });
  }
}

/** For `assert.rejects`: an error of this kind, in words like these. */
export function refused(code: string, words: RegExp): (error: unknown) => boolean {
  return (error) => error instanceof AppError && error.code === code && words.test(error.message);
}

export function report(target: string, status: StreamStatus, counts: Partial<StreamReport> = {}): StreamReport {
  return { ...newReport(streamOf(target)), ...counts, status };
}

export function failed(target: string, kind: ErrorKind): StreamReport {
  return { ...report(target, 'failed'), error: { kind, code: 'X', message: 'It failed.', hint: null } };
}

/** How a run ended, with the reports of its streams and the kind of its error. */
export function ended(status: RunOutcome['status'], reports: StreamReport[] = [], kind?: ErrorKind): RunOutcome {
  const error = kind ? { kind, code: 'X', message: 'It failed.', hint: null } : null;
  return { status, streams: reports.map((one, index) => ({ index, report: one })), error };
}

/** A run that came to none of its streams. */
export function failure(kind: ErrorKind): RunOutcome {
  return ended('failed', [], kind);
}
