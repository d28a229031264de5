import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { until, untilDone } from '../support/until.ts';
import type { PlainClient } from '../../src/cli/prove/plain-client.ts';
import type { EndType, LiveEnd } from './ends.ts';
import { ACCOUNTS, BALANCE, columnsOf } from './tables.ts';

/** In milliseconds: how long a look may wait, and how long until the next. */
const GLANCE = 5;
const PATIENCE = 120_000;

/** Somebody who adds up all accounts at the target again and again. */
export class Looker {
  looks = 0;
  readonly wrong: string[] = [];
  readonly #end: LiveEnd;
  #stopped = new AbortController();
  #looking: Promise<void> | undefined;

  constructor(end: LiveEnd) {
    this.#end = end;
  }

  start(): void {
    this.#stopped = new AbortController();
    this.#looking = this.#look();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#looking;
  }

  async #look(): Promise<void> {
    let client: PlainClient | undefined;
    while (!this.#stopped.signal.aborted) {
      try {
        client ??= await this.#end.connect(GLANCE);
        const [found] = await client.rows('select count(*), sum(balance) from accounts');
        this.looks++;
        if (String(found) !== `${ACCOUNTS},${ACCOUNTS * BALANCE}`) this.wrong.push(String(found));
      } catch {
        // The target may be dead for now.
        await client?.close();
        client = undefined;
      }
      await pause(GLANCE);
    }
    await client?.close();
  }
}

/** Whether a mark has come to the target; false while nobody can look. */
export async function hasArrived(end: LiveEnd, mark: string): Promise<boolean> {
  const client = await end.connect(GLANCE).catch(() => undefined);
  const found = await client?.rows('select mark from accounts where id = 0').catch(() => []);
  await client?.close();
  return Number(found?.[0]?.[0] ?? 0) >= Number(mark);
}

/** Waits until a mark has come to the target, as long as `progress` is seen. */
export async function arrived(end: LiveEnd, mark: string, progress: () => Promise<unknown>, told: () => unknown): Promise<void> {
  try {
    await untilDone('the mark at the target', () => hasArrived(end, mark), progress, PATIENCE);
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${String(await told())}`, { cause: error });
  }
}

/** All rows of a table, each as a text, in the order of their keys. */
async function contents(client: PlainClient, type: EndType, table: string, columns: readonly string[]): Promise<string[]> {
  const quoted = columns.map((name) => (type === 'mysql' ? `\`${name}\`` : `"${name}"`));
  const rows = await client.rows(`select ${quoted.join(', ')} from ${table} order by ${quoted[0]}`);
  return rows.map((row) => JSON.stringify(row));
}

interface Difference {
  readonly table: string;
  readonly missing: readonly string[];
  readonly more: readonly string[];
}

/** What differs between the ends, in the columns that the source has. */
async function differences(source: LiveEnd, target: LiveEnd, tables: readonly string[]): Promise<Difference[]> {
  const [from, to] = [await source.connect(), await target.connect()];
  const found: Difference[] = [];
  try {
    for (const table of tables) {
      const columns = await columnsOf(from, source.type, table);
      const there = await contents(to, target.type, table, columns).catch((error: Error) => [error.message]);
      const here = await contents(from, source.type, table, columns);
      const [inTarget, inSource] = [new Set(there), new Set(here)];
      const missing = here.filter((row) => !inTarget.has(row));
      const more = there.filter((row) => !inSource.has(row));
      if (missing.length + more.length > 0 || here.length !== there.length) found.push({ table, missing, more });
    }
  } finally {
    await from.close();
    await to.close();
  }
  return found;
}

/** Waits until both ends have the same rows, while the source rests. */
export async function demandEqual(
  { source, target }: { source: LiveEnd; target: LiveEnd },
  tables: readonly string[],
  told: () => unknown = () => '',
): Promise<void> {
  let last: Difference[] = [];
  try {
    await until('the target to be the source', async () => (last = await differences(source, target, tables)).length === 0, PATIENCE);
  } catch {
    const short = (rows: readonly string[]): string[] => rows.slice(0, 3).map((row) => row.slice(0, 200));
    const shown = last.map(({ table, missing, more }) => ({
      table,
      [`missing ${missing.length}`]: short(missing),
      [`more ${more.length}`]: short(more),
    }));
    assert.fail(`the ends differ: ${JSON.stringify(shown, undefined, 1)}\n${String(await told())}`);
  }
}

/** Every change behind a number was made once at the target, and none besides. */
export async function demandCounted({ source, target }: { source: LiveEnd; target: LiveEnd }, after: number): Promise<number> {
  const [from, to] = [await source.connect(), await target.connect()];
  try {
    const list = async (client: PlainClient, table: string): Promise<string[]> =>
      (await client.rows(`select op, n from ${table} where n > ${after} order by n, op`)).map(String);
    const [made, seen] = [await list(from, 'made'), await list(to, 'seen')];
    const [wanted, found] = [new Set(made), new Set(seen)];
    assert.equal(wanted.size, made.length, 'a number was given twice at the source');
    const twice = seen.filter((change, at) => change === seen[at - 1]);
    assert.deepEqual(twice.slice(0, 10), [], `${twice.length} of ${seen.length} changes were made again at the target`);
    const missing = made.filter((change) => !found.has(change));
    assert.deepEqual(missing.slice(0, 10), [], `${missing.length} of ${made.length} changes never came to the target`);
    const more = seen.filter((change) => !wanted.has(change));
    assert.deepEqual(more.slice(0, 10), [], `${more.length} changes were made at the target alone`);
    return made.length;
  } finally {
    await from.close();
    await to.close();
  }
}
