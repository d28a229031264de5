import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ConnectorSection } from '../support/bench.ts';
import { atEnd } from '../support/cleanup.ts';
import { type Pass, timeOurs } from '../support/rates.ts';
import { compare, limit } from '../support/report.ts';
import { inTurns, mapPair } from '../support/statistics.ts';

const [API, OURS, FETCH] = ['paged-api', 'connector-http', 'fetch-pages'].map(
  (name) => new URL(`../contenders/${name}.ts`, import.meta.url),
) as [URL, URL, URL];
/** An API has no million pages; a tenth of the rows of others is enough to see. */
const SHARE = 10;

/** Reading an API in pages of 100 on the loopback into typed batches, against a loop of `fetch` and `JSON.parse`. */
export const section: ConnectorSection = async ({ rounds, rows: asked }) => {
  const rows = Math.ceil(asked / SHARE);
  const api = spawn(process.execPath, [fileURLToPath(API), String(rows)], { stdio: ['pipe', 'pipe', 'inherit'] });
  atEnd(() => api.kill('SIGKILL'));
  const [told] = (await once(api.stdout, 'data')) as [Buffer];
  const args = [told.toString().trim(), String(rows)];
  const memory: number[] = [];
  const reading = await inTurns(
    rounds,
    async () => {
      const pass = await timeOurs(OURS, args);
      memory.push(pass.memory);
      return pass;
    },
    () => timeOurs(FETCH, args),
  );
  api.kill();
  const count = rows.toLocaleString('en-US');
  compare(
    `http: read ${count} records in pages of 100`,
    'records/s',
    mapPair(reading, ({ seconds }: Pass) => rows / seconds),
    { atLeast: 0.7 },
  );
  limit(`http: memory with ${count} records (highest)`, 'MB', [Math.max(...memory)], 200);
};
