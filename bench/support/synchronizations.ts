import { setTimeout as sleep } from 'node:timers/promises';
import { residentMegabytes } from './processes.ts';
import type { Pass } from './rates.ts';
import type { Syncline } from './syncline.ts';

const AREA = '/api/v1/datasync';
const ACTIVE = new Set(['queued', 'running', 'retrying']);
// A glance costs the service a little, so long runs are looked at less often; of these, the end that they tell themselves is the better one.
const SHORTEST_GLANCE = 2;
const LONGEST_GLANCE = 200;
const LONG = 2_000;
const MEMORY_EVERY = 20;

/** Of a run, what the benchmark looks at. */
export interface Run {
  id: string;
  status: string;
  created_at: string;
  started_at: string;
  finished_at: string;
  totals: { read: number; inserted: number; updated: number; deleted: number; unchanged: number; rejected: number };
  error: unknown;
  streams: { proof?: { result: string; rows: number; missing: number; extra: number; different: number } }[];
}

/** What a run took: `seconds` from the request to its end, `own` from its own beginning. */
export interface RunPass extends Pass {
  own: number;
  run: Run;
}

/** Names are not given twice. */
let made = 0;

export async function createSource(syncline: Syncline, type: string, config: object): Promise<string> {
  return idOf(await syncline.post(`${AREA}/sources`, JSON.stringify({ name: `Bench ${type} ${++made}`, type, config })));
}

export function createPostgresSource(syncline: Syncline, url: string): Promise<string> {
  const { hostname, port, username, pathname } = new URL(url);
  const account = { host: hostname, port: Number(port), user: username, database: pathname.slice(1) };
  return createSource(syncline, 'postgres', { ...account, ssl: 'disable' });
}

export interface Definition {
  source_id: string;
  target_id: string;
  streams: object[];
  schedule?: object;
  structure?: 'data' | 'full';
}

export async function createSync(syncline: Syncline, definition: Definition): Promise<string> {
  return idOf(await syncline.post(`${AREA}/sync`, JSON.stringify({ name: `Bench ${++made}`, ...definition })));
}

export async function listSyncs(syncline: Syncline): Promise<{ id: string; last_run: Run | null; current_run: Run | null }[]> {
  const { data } = JSON.parse(await syncline.get(`${AREA}/sync?limit=1000`)) as { data: never[] };
  return data;
}

export async function deleteSync(syncline: Syncline, id: string): Promise<void> {
  await syncline.remove(`${AREA}/sync/${id}`);
}

/** Starts a run over the API and waits for its end. Any other end than success makes the figures worthless, so it is an error. */
export async function runSync(
  syncline: Syncline,
  syncId: string,
  mode: 'run' | 'full' | 'verify' = 'run',
  shortestGlance = SHORTEST_GLANCE,
): Promise<RunPass> {
  let memory = 0;
  const look = (): void => {
    memory = Math.max(memory, residentMegabytes(syncline.pid) ?? 0);
  };
  const sampler = setInterval(look, MEMORY_EVERY);
  try {
    const began = Date.now();
    let run = runOf(await syncline.post(`${AREA}/sync/${syncId}/runs`, JSON.stringify({ mode })));
    while (ACTIVE.has(run.status)) {
      await sleep(Math.min(LONGEST_GLANCE, Math.max(shortestGlance, (Date.now() - began) / 50)));
      run = runOf(await syncline.get(`${AREA}/runs/${run.id}`));
    }
    const seen = Date.now();
    look();
    if (run.status !== 'succeeded') throw new Error(`The run ended ${run.status}: ${JSON.stringify(run)}`);
    const ended = seen - began < LONG ? seen : Date.parse(run.finished_at);
    return { seconds: (ended - began) / 1000, own: (ended - Date.parse(run.started_at)) / 1000, memory, run };
  } finally {
    clearInterval(sampler);
  }
}

function idOf(answer: string): string {
  return (JSON.parse(answer) as { data: { id: string } }).data.id;
}

function runOf(answer: string): Run {
  return (JSON.parse(answer) as { data: Run }).data;
}
