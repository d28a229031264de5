import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ConnectorSection } from './bench.ts';
import { atEnd } from './cleanup.ts';
import { type Pass, timeOurs } from './rates.ts';
import { compare, limit } from './report.ts';
import { inTurns, mapPair } from './statistics.ts';

const contender = (name: string): URL => new URL(`../contenders/${name}.ts`, import.meta.url);
/** An API has no million pages; a tenth of the rows of others is enough to see. */
const SHARE = 10;

/** Reading an API in pages of 100 on the loopback into typed batches, against a loop of `fetch` and `JSON.parse`. */
export function readsPages(name: string): ConnectorSection {
  return async ({ rounds, rows: asked }) => {
    const rows = Math.ceil(asked / SHARE);
    const api = spawn(process.execPath, [fileURLToPath(contender('paged-api')), String(rows)], { stdio: ['pipe', 'pipe', 'inherit'] });
    atEnd(() => api.kill('SIGKILL'));
    const [told] = (await once(api.stdout, 'data')) as [Buffer];
    const args = [told.toString().trim(), String(rows)];
    const memory: number[] = [];
    const reading = await inTurns(
      rounds,
      async () => {
        const pass = await timeOurs(contender(`connector-${name}`), args);
        memory.push(pass.memory);
        return pass;
      },
      () => timeOurs(contender('fetch-pages'), args),
    );
    api.kill();
    const count = rows.toLocaleString('en-US');
    compare(
      `${name}: read ${count} records in pages of 100`,
      'records/s',
      mapPair(reading, ({ seconds }: Pass) => rows / seconds),
      { atLeast: 0.7 },
    );
    limit(`${name}: memory with ${count} records (highest)`, 'MB', [Math.max(...memory)], 200);
  };
}
