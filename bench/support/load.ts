import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { printedBy } from './printed-by.ts';
import { temporaryFolder } from './processes.ts';

export interface LoadRequest {
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** Requests that are sent over and over, one after the other on each connection. */
export interface Load {
  requests: LoadRequest[];
  connections: number;
  /** Whether each request gets an Idempotency-Key of its own. */
  uniqueKeys?: boolean;
}

export interface Plan {
  url: string;
  load: Load;
  extent: { seconds: number } | { amount: number };
  keyPrefix: string;
}

export interface LoadResult {
  /** Answers a second. */
  rate: number;
  /** Milliseconds. */
  p99: number;
}

interface Counted {
  requests: number;
  seconds: number;
  p99: number;
  failed: number;
}

const WRK = 'wrk';
const hasWrk = spawnSync(WRK, ['-v']).error === undefined;

export const clientName = hasWrk ? 'wrk, one thread' : 'autocannon';

/** Drives a server for some seconds. A single failed request makes the figures worthless, so it is an error. */
export async function drive(url: string, load: Load, seconds: number): Promise<LoadResult> {
  const plan: Plan = { url, load, extent: { seconds }, keyPrefix: randomBytes(6).toString('hex') };
  const counted = await (hasWrk ? runWrk(plan, seconds) : runAutocannon(plan));
  return { rate: counted.requests / counted.seconds, p99: counted.p99 };
}

/** Sends this many requests and no more, which only autocannon can. */
export async function sendExactly(url: string, load: Load, amount: number): Promise<void> {
  await runAutocannon({ url, load, extent: { amount }, keyPrefix: '' });
}

async function runWrk(plan: Plan, seconds: number): Promise<Counted> {
  const script = join(temporaryFolder(), 'load.lua');
  writeFileSync(script, luaScript(plan));
  const connections = String(plan.load.connections);
  const args = ['-t', '1', '-c', connections, '-d', `${seconds}s`, '--timeout', '10s', '-s', script, plan.url];
  return checked(plan, await printedBy(WRK, args));
}

async function runAutocannon(plan: Plan): Promise<Counted> {
  const file = join(temporaryFolder(), 'plan.json');
  writeFileSync(file, JSON.stringify(plan));
  return checked(plan, await printedBy(process.execPath, [fileURLToPath(new URL('./autocannon-client.ts', import.meta.url)), file]));
}

/** The last line of what the client printed is its result. */
function checked({ url, load }: Plan, printed: string): Counted {
  const counted = JSON.parse(printed.trimEnd().split('\n').at(-1) ?? '') as Counted;
  const what = `${load.requests[0]?.method} ${url}${load.requests[0]?.path}`;
  if (counted.failed > 0) throw new Error(`${counted.failed} of ${counted.requests} requests failed: ${what}`);
  if (counted.requests === 0) throw new Error(`No request was answered: ${what}`);
  return counted;
}

function luaScript({ url, load, keyPrefix }: Plan): string {
  const parts = load.requests.map((request) => rawRequest(url, request));
  // JSON's quoting is Lua's too, as long as everything is ASCII.
  const table = (texts: string[]): string => `{${texts.map((text) => JSON.stringify(text)).join(',\n')}}`;
  const key = load.uniqueKeys ? `"Idempotency-Key: ${keyPrefix}" .. sent .. "\\r\\n" .. ` : '';
  return `
local heads = ${table(parts.map((part) => part.head))}
local tails = ${table(parts.map((part) => part.tail))}
local whole = {}
for i = 1, #heads do whole[i] = heads[i] .. tails[i] end
local next, sent = 0, 0
function request()
  next = next % #whole + 1
  sent = sent + 1
  return ${key === '' ? 'whole[next]' : `heads[next] .. ${key}tails[next]`}
end
function done(summary, latency)
  local e = summary.errors
  io.write(string.format('{"requests":%d,"seconds":%f,"p99":%f,"failed":%d}\\n', summary.requests, summary.duration / 1e6,
    latency:percentile(99) / 1e3, e.connect + e.read + e.write + e.status + e.timeout))
end
`;
}

/** A request as it goes over the wire, cut where another header can go in. */
export function rawRequest(url: string, { method, path, headers, body }: LoadRequest): { head: string; tail: string } {
  const all = { host: new URL(url).host, ...headers, ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return { head: `${method} ${path} HTTP/1.1\r\n${lines.join('')}`, tail: `\r\n${body ?? ''}` };
}
