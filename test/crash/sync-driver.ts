import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Reachable } from '../support/process.ts';
import { until } from '../support/until.ts';
import type { Random } from './random.ts';
import { TABLES, type WorkMode } from './sync-workload.ts';

const AREA = '/api/v1/datasync';
const GLANCE = 20;
const PATIENCE = 60_000;
const FINAL = new Set(['succeeded', 'partial', 'failed', 'cancelled', 'skipped', 'needs_approval']);

export interface Totals {
  read: number;
  inserted: number;
  updated: number;
  deleted: number;
  unchanged: number;
  rejected: number;
}

export interface Run {
  id: string;
  status: string;
  attempt: number;
  totals: Totals;
  error: unknown;
}

export interface End {
  type: string;
  config: object;
}

/** How a stream is called at one of the ends. */
export type TargetName = (table: string) => string;

/** A client that starts one run after the other, of one synchronization for each mode. */
export class SyncDriver {
  /** Runs that were seen to end. */
  ended = 0;
  /** How often a synchronization was found paused. */
  resumed = 0;
  /** How large a part of the runs is cancelled half-way. */
  cancelled = 0;
  /** How long an answer is waited for, in milliseconds. */
  patience = PATIENCE;
  /** How long it rests after a run, in milliseconds. */
  rest = 0;
  readonly #random: Random;
  readonly #syncs = new Map<WorkMode, string>();

  constructor(random: Random) {
    this.#random = random;
  }

  /** Defines the ends and the synchronizations. */
  async create(
    service: Reachable,
    source: End,
    target: End,
    named: TargetName,
    modes: readonly WorkMode[],
    from: TargetName = (table) => `public.${table}`,
  ): Promise<void> {
    const createEnd = (end: End): Promise<string> => this.#create(service, '/sources', { name: `Crash ${end.type}`, ...end });
    const [source_id, target_id] = [await createEnd(source), await createEnd(target)];
    for (const mode of modes) {
      const stream = { source: from(TABLES[mode]), target: named(TABLES[mode]), mode, ...(mode !== 'mirror' && { cursor: 'at' }) };
      // Only the workload may empty a target here.
      const body = { name: mode, source_id, target_id, streams: [stream], guard: { max_delete_percent: 100 } };
      this.#syncs.set(mode, await this.#create(service, '/sync', body));
    }
  }

  /** Keeps a run of each going until there are no more answers, or until told. */
  async run(service: Reachable, enough: AbortSignal = new AbortController().signal): Promise<void> {
    await Promise.all(
      [...this.#syncs].map(async ([mode, id]) => {
        while (!enough.aborted && (await this.#oneRun(service, mode, id)));
      }),
    );
  }

  /** Lets what is under way end, then runs each once more: that one has to succeed. */
  async finish(service: Reachable): Promise<void> {
    for (const [mode, id] of this.#syncs) {
      const run = await until(`the last run of ${mode}`, () => this.#started(service, id), PATIENCE);
      const { status, error } = await this.#end(service, run);
      assert.equal(status, 'succeeded', `the last run of ${mode} ended ${status}: ${JSON.stringify(error)}\n${service.logs()}`);
    }
  }

  /** Every run there ever was. */
  async runs(service: Reachable, mode: WorkMode): Promise<Run[]> {
    const runs: Run[] = [];
    let cursor: string | null = null;
    do {
      const path: string = `/sync/${this.#syncs.get(mode)}/runs?limit=1000${cursor ? `&cursor=${cursor}` : ''}`;
      const page = await this.#ask(service, 'GET', path);
      runs.push(...((page?.data ?? []) as Run[]));
      cursor = page?.next_cursor ?? null;
    } while (cursor !== null);
    return runs;
  }

  /** Whether any run has got to a state. */
  async isAny(service: Reachable, status: string): Promise<boolean> {
    for (const id of this.#syncs.values()) {
      const answer = await this.#ask(service, 'GET', `/sync/${id}/runs?limit=1`);
      if ((answer?.data as Run[] | undefined)?.[0]?.status === status) return true;
    }
    return false;
  }

  async #oneRun(service: Reachable, mode: WorkMode, id: string): Promise<boolean> {
    // Reading everything anew would double what is only appended.
    const full = mode !== 'append' && this.#random() < 0.1;
    await this.#resume(service, id);
    const answer = await this.#ask(service, 'POST', `/sync/${id}/runs`, { mode: full ? 'full' : 'run' });
    if (!answer) return false;
    const run = answer.data as Run | undefined;
    if (run && this.#random() < this.cancelled) {
      await pause(this.#random() * 100);
      if (!(await this.#ask(service, 'POST', `/runs/${run.id}/cancel`))) return false;
    }
    // One that was under way already is waited for too.
    for (;;) {
      const last = await this.#ask(service, 'GET', `/sync/${id}/runs?limit=1`);
      if (!last) return false;
      if (FINAL.has((last.data as Run[])[0]?.status ?? '')) break;
      await pause(GLANCE);
    }
    this.ended++;
    if (this.rest > 0) await pause(this.rest);
    return true;
  }

  /** Starts a run; undefined as long as another one is under way. */
  async #started(service: Reachable, id: string): Promise<string | undefined> {
    await this.#resume(service, id);
    const answer = await this.#ask(service, 'POST', `/sync/${id}/runs`, {});
    return (answer?.data as Run | undefined)?.id;
  }

  /** Does what a person would do when runs were killed so often at the same place that their synchronization was paused. */
  async #resume(service: Reachable, id: string): Promise<void> {
    const answer = await this.#ask(service, 'GET', `/sync/${id}`);
    if ((answer?.data as { status: string } | undefined)?.status !== 'paused') return;
    await this.#ask(service, 'POST', `/sync/${id}/resume`);
    this.resumed++;
  }

  #end(service: Reachable, id: string): Promise<Run> {
    return until(
      `the end of run ${id}`,
      async () => {
        const run = (await this.#ask(service, 'GET', `/runs/${id}`))?.data as Run | undefined;
        return run && FINAL.has(run.status) && run;
      },
      PATIENCE,
    );
  }

  async #create(service: Reachable, path: string, body: object): Promise<string> {
    const answer = await this.#ask(service, 'POST', path, body);
    const made = answer?.data as { id: string } | undefined;
    assert.ok(made, `nothing was made at ${path}`);
    return made.id;
  }

  /** Undefined when there was no answer, or none that says anything (503). A conflict (a run is under way) answers without data; anything else is a fault of the service. */
  async #ask(
    service: Reachable,
    method: 'GET' | 'POST',
    path: string,
    body?: unknown,
  ): Promise<{ data?: unknown; next_cursor?: string | null } | undefined> {
    let status: number;
    let text: string;
    try {
      const response = await fetch(service.url + AREA + path, {
        method,
        headers: { authorization: `Bearer ${service.adminKey}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(this.patience),
      });
      ({ status } = response);
      text = await response.text();
    } catch {
      return undefined;
    }
    if (status === 503) return undefined;
    if (status === 409) return {};
    assert.equal(status, 200, `${method} ${path} ${JSON.stringify(body)}: ${text}\n${service.logs()}`);
    return JSON.parse(text) as { data: unknown };
  }
}

/** A clock that goes on by itself and can be turned forwards. */
export interface TurnableClock {
  now: () => number;
  turn(milliseconds: number): void;
}

export function turnableClock(): TurnableClock {
  let ahead = 0;
  return { now: () => Date.now() + ahead, turn: (milliseconds) => (ahead += milliseconds) };
}

// The longest that a run waits before it is tried again.
const LONGEST_WAIT = 31 * 60_000;

/** Turns the clock whenever a run waits to be tried again, so that nobody has to. */
export async function impatient(service: Reachable, driver: SyncDriver, clock: TurnableClock, enough: AbortSignal): Promise<void> {
  while (!enough.aborted) {
    if (await driver.isAny(service, 'retrying')) clock.turn(LONGEST_WAIT);
    await pause(GLANCE);
  }
}
