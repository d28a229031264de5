import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { createPlace } from '../support/databases.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { startProcess } from '../support/process.ts';
import { until } from '../support/until.ts';
import { checkBooks } from './books.ts';
import { withSeed } from './random.ts';
import { ShopDriver } from './shop-driver.ts';

// Here the service lives and PostgreSQL dies under it. No other test may use that server, so it is one of our own.

const CRASHES = 5;
const MOST_ANSWERS = 150;
const LATER = 8;

let server: PostgresServer;
let folder: string;
before(async () => {
  delete process.env['TEST_POSTGRES_URL'];
  server = await startPostgres();
  process.env['TEST_POSTGRES_URL'] = server.url;
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  folder = (await client.query<{ data_directory: string }>('show data_directory')).rows[0]?.data_directory ?? '';
  await client.end();
});
after(() => server.stop());

test(`PostgreSQL killed ${CRASHES} times: nothing acknowledged is lost, nothing is doubled, and the service recovers by itself`, () =>
  withSeed(async (random) => {
    const place = await createPlace('postgres');
    const driver = new ShopDriver(random);
    const service = await startProcess(place, { environment: { LOG_LEVEL: 'error' } });
    const readiness = async (): Promise<number> => (await fetch(`${service.url}/readyz`)).status;
    try {
      for (let crash = 1; crash <= CRASHES; crash++) {
        const busy = driver.run(service);
        await Promise.race([busy, driver.answered(Math.ceil(random() * MOST_ANSWERS))]);
        await pause(random() * LATER);
        const program = await killServer();
        await busy;
        assert.equal(await readiness(), 503);
        startAgain(program);
        await until('the service is ready again', async () => (await readiness()) === 200, 20_000);
      }
      await driver.finish(service);
      assert.ok(driver.answers > 100 && driver.unanswered >= CRASHES, `${driver.answers} answers, ${driver.unanswered} unanswered`);
      // Whoever asked meanwhile was told so; nobody hung until a time limit.
      assert.ok(driver.slowest < 20_000, `somebody waited for ${driver.slowest} ms`);
      await checkBooks(service, place, driver);
    } finally {
      await service.kill();
      // Its database goes with the server.
      rmSync(place.dataDir, { recursive: true, force: true });
    }
  }));

/** `kill -9` for the server and every process of it; answers the folder of its programs. */
async function killServer(): Promise<string> {
  const pid = Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const programs = dirname(readlinkSync(`/proc/${pid}/exe`));
  // Stopped first, so that it starts no more of them.
  process.kill(pid, 'SIGSTOP');
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  for (const id of [...children, pid]) process.kill(id, 'SIGKILL');
  await until('the server is dead', () => [...children, pid].every(isDead));
  return programs;
}

/** Whether the process is gone, or only waits for somebody to take notice of its end. */
function isDead(pid: number): boolean {
  try {
    return / [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\)/, ''));
  } catch {
    return true;
  }
}

function startAgain(programs: string): void {
  // We know that it is dead; PostgreSQL would wonder, as long as nobody has taken notice.
  for (const file of [join(folder, 'postmaster.pid'), ...globSync(join(folder, '..', '.s.PGSQL.*.lock'))]) rmSync(file);
  const { uid, gid } = statSync(folder);
  // A restart takes the options of the start before.
  const args = ['restart', '-D', folder, '-w', '-l', join(folder, '..', 'log')];
  const result = spawnSync(join(programs, 'pg_ctl'), args, {
    uid,
    gid,
    stdio: ['ignore', 'ignore', 'pipe'],
    cwd: folder,
    encoding: 'utf8',
  });
  assert.equal(result.status, 0, result.stderr);
}
