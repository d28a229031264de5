import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { addAndFail, later, readSettings } from '../../test/support/commands.ts';
import { onBothEngines, openTestDatabase } from '../../test/support/databases.ts';
import { startChaosProxy } from '../../test/support/chaos-proxy.ts';
import { until } from '../../test/support/until.ts';
import { AppError } from '../lib/errors.ts';
import { createLog } from '../lib/log.ts';
import { command, LostRace } from './database.ts';
import { openDatabase } from './open.ts';
import { sql } from './sql.ts';

onBothEngines('a command', (engine) => {
  let db: Awaited<ReturnType<typeof openTestDatabase>>;
  before(async () => {
    db = await openTestDatabase(engine);
  });
  after(() => db.close());

  async function stored(name: string): Promise<string[]> {
    const rows = await db.read.all<{ name: string }>(sql`select name from counters where name like ${`${name} %`}`);
    return rows.map((row) => row.name);
  }

  test('is undone as a whole when it throws', async () => {
    await assert.rejects(db.write(addAndFail, { name: 'error', how: 'error' }), /^Error: a fault of our own$/);
    assert.deepEqual(await stored('error'), []);
  });

  test('is undone as a whole when a statement fails', async () => {
    await assert.rejects(db.write(addAndFail, { name: 'statement', how: 'statement' }), /unique/i);
    assert.deepEqual(await stored('statement'), []);
  });

  test('does not succeed by overlooking that a statement has failed', async () => {
    await assert.rejects(db.write(addAndFail, { name: 'swallowed', how: 'statement-swallowed' }), /unique/i);
    assert.deepEqual(await stored('swallowed'), []);
  });

  test('leaves nothing of what it does beside a statement that fails, and tells of that one', async () => {
    await assert.rejects(db.write(addAndFail, { name: 'beside', how: 'statement-beside' }), /unique/i);
    assert.deepEqual(await stored('beside'), []);
  });

  test('that ends with a statement that fails leaves nothing, though the commit was on its way', async () => {
    await assert.rejects(db.write(addAndFail, { name: 'end', how: 'last-statement' }), /unique/i);
    assert.deepEqual(await stored('end'), []);
    // Nor does the connection carry it on to the next one.
    await db.write(readSettings, []);
  });

  test('can say nothing more when it has said what comes last; what it said is there', async () => {
    await assert.rejects(
      db.write(addAndFail, { name: 'last', how: 'goes-on-after-last' }),
      // So nobody takes it for one that has left nothing.
      engine === 'postgres' ? { code: 'UNAVAILABLE', message: /is written/ } : /came after its transaction/,
    );
    assert.deepEqual((await stored('last')).sort(), engine === 'postgres' ? ['last before', 'last last'] : []);
  });

  test('can write nothing when its transaction is over', async () => {
    await assert.rejects(db.write(addAndFail, { name: 'late', how: 'goes-on-after' }), /a fault of our own/);
    // Later writes have their turn after whatever it may still have sent.
    for (let i = 0; i < 20; i++) await db.write(readSettings, ['application_name'].slice(0, engine === 'postgres' ? 1 : 0));
    assert.deepEqual(await stored('late'), []);
  });

  test('tells the caller of an AppError all there is to tell', async () => {
    await assert.rejects(db.write(addAndFail, { name: 'app', how: 'app-error' }), (error: unknown) => {
      assert.ok(error instanceof AppError);
      assert.deepEqual(
        [error.code, error.message, error.details, error.headers],
        ['CONFLICT', 'No.', { field: 'name', reason: 'is taken', errors: [{ field: 'name', reason: 'is taken' }] }, { allow: 'x' }],
      );
      return true;
    });
    assert.deepEqual(await stored('app'), []);
  });

  test('that only reads can write nothing', async () => {
    await assert.rejects(db.query(addAndFail, { name: 'reader', how: 'error' }), (error: Error) => {
      const { message } = (error.cause ?? error) as Error;
      assert.match(message, /read-?only/);
      return true;
    });
    assert.deepEqual(await stored('reader'), []);
  });

  test('is on disk when it is answered', async () => {
    if (engine === 'sqlite')
      assert.deepEqual(await db.write(readSettings, ['journal_mode', 'synchronous', 'foreign_keys']), ['wal', '2', '1']);
    // Whether the server itself waits for its disk (fsync) is its own setting: no client can change it, and the one of these tests does not.
    else assert.deepEqual(await db.write(readSettings, ['synchronous_commit', 'transaction_isolation']), ['on', 'read committed']);
  });

  // A command that loses a race runs in this thread on PostgreSQL, where it can count its tries; SQLite has one writer and no races.
  if (engine === 'postgres') {
    test('that has lost a race is tried again from the start, and not for ever', async () => {
      let tries = 0;
      const lose = (times: number) =>
        command(import.meta.url, 'lose', async (tx) => {
          tries++;
          await tx.all(sql`insert into counters (name, n) values ('race', ${tries}) on conflict (name) do update set n = excluded.n`);
          if (tries <= times) throw new LostRace('another was quicker');
          return tries;
        });
      assert.equal(await db.write(lose(2), undefined), 3);
      assert.deepEqual(await db.read.all(sql`select n from counters where name = 'race'`), [{ n: 3 }]);
      tries = 0;
      await assert.rejects(db.write(lose(1_000), undefined), /another was quicker/);
      assert.ok(tries > 1 && tries < 20, `${tries} tries`);
    });

    test('is tried again after a deadlock, though other statements were under way with the one that was chosen to fail', async () => {
      await db.write(
        command(import.meta.url, 'prepare', (tx) => tx.all(sql`insert into counters (name, n) values ('left', 0), ('right', 0)`)),
        undefined,
      );
      const first = { left: Promise.withResolvers<void>(), right: Promise.withResolvers<void>() };
      const lock = (mine: 'left' | 'right', other: 'left' | 'right') =>
        command(import.meta.url, 'lock', async (tx) => {
          await tx.all(sql`update counters set n = n + 1 where name = ${mine}`);
          first[mine].resolve();
          await first[other].promise;
          // The one that fails is heard of last.
          const crossing = later(tx.all(sql`update counters set n = n + 1 where name = ${other}`));
          await Promise.all([crossing, tx.all(sql`select 1`)]);
        });
      await Promise.all([db.write(lock('left', 'right'), undefined), db.write(lock('right', 'left'), undefined)]);
      const rows = await db.read.all(sql`select name, n from counters where name in ('left', 'right') order by name`);
      assert.deepEqual(rows, [
        { name: 'left', n: 2 },
        { name: 'right', n: 2 },
      ]);
    });

    test('that hangs in its transaction is ended, and what it has locked is free within seconds', async () => {
      const add = (then: () => Promise<void>) =>
        command(import.meta.url, 'add', async (tx) => {
          await tx.all(sql`insert into counters (name, n) values ('hung', 1) on conflict (name) do update set n = counters.n + 1`);
          await then();
        });
      const { promise: locked, resolve: tellLocked } = Promise.withResolvers<void>();
      const { promise: awake, resolve: wakeUp } = Promise.withResolvers<void>();
      const hang = async (): Promise<void> => {
        tellLocked();
        await awake;
      };
      const hanging = db.write(add(hang), undefined);
      const refused = assert.rejects(hanging, { code: 'UNAVAILABLE' });
      await locked;
      const started = performance.now();
      // A statement is not waited for longer than 20 seconds.
      await db.write(
        add(async () => {}),
        undefined,
      );
      const waited = performance.now() - started;
      assert.ok(waited < 7_000, `others waited for ${waited} ms`);
      wakeUp();
      await refused;
      assert.deepEqual(await db.read.all(sql`select n from counters where name = 'hung'`), [{ n: 1 }]);
    });

    test('a connection that is reset under a read is told as unavailable, as the caller did nothing wrong', async () => {
      const { databaseUrl = '' } = db.place;
      const url = new URL(databaseUrl);
      const proxy = await startChaosProxy({ host: url.hostname, port: Number(url.port) });
      const far = await openDatabase(
        { dataDir: db.place.dataDir, databaseUrl: Object.assign(url, { port: String(proxy.port) }).href, poolSize: 2 },
        createLog('silent'),
      );
      try {
        const reading = assert.rejects(
          far.read.all(sql`select pg_sleep(20)`),
          (error) => error instanceof AppError && error.code === 'UNAVAILABLE',
        );
        await until('the statement is running', async () => {
          const rows = await db.read.all(sql`select 1 from pg_stat_activity where query like '%pg_sleep(20)%' and pid <> pg_backend_pid()`);
          return rows.length > 0;
        });
        await proxy.shut({ reset: true });
        await reading;
      } finally {
        await far.close();
        await proxy.close();
      }
    });
  }
});
