import { setTimeout as pause } from 'node:timers/promises';
import { CliError } from '../errors.ts';
import { askService } from '../service/client.ts';
import type { Reachable } from './service-process.ts';

const AREA = '/api/v1/datasync';
const GLANCE = 20;
const PATIENCE = 60_000;
const FINAL = new Set(['succeeded', 'partial', 'failed', 'cancelled', 'skipped', 'needs_approval']);

export interface DrivenTotals {
  read: number;
  inserted: number;
  updated: number;
  deleted: number;
  unchanged: number;
  rejected: number;
}

export interface DrivenProof {
  result: 'equal' | 'differs' | 'changing';
  rows: number;
  digest: string;
  missing: number;
  extra: number;
  different: number;
  position: string | null;
  duration_ms: number;
}

export interface DrivenRun {
  id: string;
  mode: string;
  status: string;
  /** Only of one that follows the log of its source. */
  live?: true;
  attempt: number;
  totals: DrivenTotals;
  error: { message: string } | null;
  streams: { proof?: DrivenProof }[];
}

interface DrivenEnd {
  type: string;
  config: object;
}

/** A synchronization of one stream that is to be kept busy. */
export interface Driven {
  /** Its name, which nobody else has. */
  name: string;
  source: string;
  target: string;
  mode: string;
  cursor?: string;
}

interface Answered {
  data?: unknown;
  next_cursor?: string | null;
}

/** A client that starts one run after the other, of several synchronizations side by side, at a service that dies. */
export class RunDriver {
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
  /** Ends all waiting. */
  giveUp: AbortSignal | undefined;
  /** What comparing live streams has found while they changed. */
  readonly found = { equal: 0, differs: 0, changing: 0 };
  readonly #random: () => number;
  readonly #ids = new Map<string, string>();
  readonly #modes = new Map<string, string>();

  constructor(random: () => number) {
    this.#random = random;
  }

  /** Defines the ends and the synchronizations. */
  async define(service: Reachable, source: DrivenEnd, target: DrivenEnd, driven: readonly Driven[]): Promise<void> {
    const createEnd = ({ type, config }: DrivenEnd, of: string): Promise<string> =>
      this.#create(service, '/sources', { name: `${of}: ${type}`, type, config });
    const [source_id, target_id] = [await createEnd(source, 'from'), await createEnd(target, 'to')];
    for (const { name, mode, ...stream } of driven) {
      // Only what happens at the source may empty a target here.
      const guard = { max_delete_percent: 100 };
      this.#ids.set(name, await this.#create(service, '/sync', { name, source_id, target_id, streams: [{ ...stream, mode }], guard }));
      this.#modes.set(name, mode);
    }
  }

  /** Keeps a run of each going until there are no more answers, or until told. */
  async run(service: Reachable, enough: AbortSignal = new AbortController().signal): Promise<void> {
    await Promise.all(
      [...this.#ids.keys()].map(async (name) => {
        while (!enough.aborted && (await this.#oneRun(service, name)));
      }),
    );
  }

  /** Lets what is under way end, then runs each once more: that one has to succeed. Those that are live go on by themselves. */
  async finish(service: Reachable): Promise<void> {
    for (const name of this.#ids.keys()) {
      if (this.#isLive(name)) continue;
      const { id, status, error } = await this.doRun(service, name, 'run');
      if (status === 'succeeded') continue;
      const log = (await this.#ask(service, 'GET', `/logs?run_id=${id}`))?.data;
      throw new Error(`The last run of ${name} ended ${status}: ${JSON.stringify(error)}\n${JSON.stringify(log)}\n${service.logs()}`);
    }
  }

  /** Starts a run as soon as there is none under way, and waits for its end. */
  async doRun(service: Reachable, name: string, mode: string): Promise<DrivenRun> {
    const id = await this.#patiently(service, `the begin of a run (${mode}) of ${name}`, async () => {
      await this.#resume(service, this.#idOf(name));
      const answer = await this.#ask(service, 'POST', `/sync/${this.#idOf(name)}/runs`, { mode });
      return (answer?.data as DrivenRun | undefined)?.id;
    });
    return this.#patiently(service, `the end of run ${id} (${mode}) of ${name}`, async () => {
      const run = (await this.#ask(service, 'GET', `/runs/${id}`))?.data as DrivenRun | undefined;
      return run && FINAL.has(run.status) ? run : undefined;
    });
  }

  /** Every run there ever was. */
  async runs(service: Reachable, name: string): Promise<DrivenRun[]> {
    const runs: DrivenRun[] = [];
    let cursor: string | null = null;
    do {
      const path: string = `/sync/${this.#idOf(name)}/runs?limit=1000${cursor ? `&cursor=${cursor}` : ''}`;
      const page = await this.#ask(service, 'GET', path);
      runs.push(...((page?.data ?? []) as DrivenRun[]));
      cursor = page?.next_cursor ?? null;
    } while (cursor !== null);
    return runs;
  }

  /** Whether the last run of any has got to a state. */
  async isAny(service: Reachable, status: string): Promise<boolean> {
    for (const id of this.#ids.values()) {
      const answer = await this.#ask(service, 'GET', `/sync/${id}/runs?limit=1`);
      if ((answer?.data as DrivenRun[] | undefined)?.[0]?.status === status) return true;
    }
    return false;
  }

  async #oneRun(service: Reachable, name: string): Promise<boolean> {
    const [id, isLive] = [this.#idOf(name), this.#isLive(name)];
    // Reading everything anew would double what is only appended.
    const isFull = this.#modes.get(name) !== 'append' && this.#random() < 0.1;
    await this.#resume(service, id);
    const answer = await this.#ask(service, 'POST', `/sync/${id}/runs`, { mode: isLive ? 'verify' : isFull ? 'full' : 'run' });
    if (!answer) return false;
    const run = answer.data as DrivenRun | undefined;
    if (run && this.#random() < this.cancelled) {
      await pause(this.#random() * 100);
      if (!(await this.#ask(service, 'POST', `/runs/${run.id}/cancel`))) return false;
    }
    const last = await this.#lastEnded(service, id, isLive ? run?.id : undefined);
    if (!last) return false;
    const result = isLive ? last.streams[0]?.proof?.result : undefined;
    if (result) this.found[result]++;
    this.ended++;
    if (this.rest > 0) await pause(this.rest);
    return true;
  }

  /** The run of this id when it has ended, or else the last one: one that was under way already is waited for too. */
  async #lastEnded(service: Reachable, syncId: string, runId: string | undefined): Promise<DrivenRun | undefined> {
    for (;;) {
      const path = runId === undefined ? `/sync/${syncId}/runs?limit=1` : `/runs/${runId}`;
      const answer = await this.#ask(service, 'GET', path);
      if (!answer) return undefined;
      const run = (runId === undefined ? (answer.data as DrivenRun[])[0] : answer.data) as DrivenRun | undefined;
      if (run && FINAL.has(run.status)) return run;
      await pause(GLANCE);
    }
  }

  /** Does what a person would do when runs were killed so often at the same place that their synchronization was paused. */
  async #resume(service: Reachable, id: string): Promise<void> {
    const answer = await this.#ask(service, 'GET', `/sync/${id}`);
    if ((answer?.data as { status: string } | undefined)?.status !== 'paused') return;
    await this.#ask(service, 'POST', `/sync/${id}/resume`);
    this.resumed++;
  }

  async #patiently<Result>(service: Reachable, what: string, look: () => Promise<Result | undefined>): Promise<Result> {
    for (const end = Date.now() + PATIENCE; Date.now() < end; await pause(GLANCE)) {
      this.giveUp?.throwIfAborted();
      const found = await look();
      if (found !== undefined) return found;
    }
    throw new Error(`${what} did not come within a minute.\n${service.logs()}`);
  }

  #idOf(name: string): string {
    const id = this.#ids.get(name);
    if (id === undefined) throw new Error(`There is no synchronization ${name}.`);
    return id;
  }

  #isLive(name: string): boolean {
    return this.#modes.get(name) === 'cdc';
  }

  async #create(service: Reachable, path: string, body: object): Promise<string> {
    const made = (await this.#ask(service, 'POST', path, body))?.data as { id: string } | undefined;
    if (!made) throw new Error(`Nothing was made at ${path}.\n${service.logs()}`);
    return made.id;
  }

  /** Undefined when there was no answer, or none that says anything (503). A conflict (a run is under way) answers without data; anything else is a fault of the service. */
  async #ask(service: Reachable, method: 'GET' | 'POST', path: string, body?: object): Promise<Answered | undefined> {
    const asked = { method, path: AREA + path, body, timeout: this.patience };
    const reply = await askService(service, asked).catch((error: unknown) => {
      if (error instanceof CliError) return undefined;
      throw error;
    });
    if (reply === undefined || reply.status === 503) return undefined;
    if (reply.status === 409) return {};
    if (reply.status !== 200)
      throw new Error(`${method} ${path} ${JSON.stringify(body)}: ${JSON.stringify(reply.answer)}\n${service.logs()}`);
    return reply.answer;
  }
}
