import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useDatabase } from '../../../../test/support/mysql-session.ts';
import { until } from '../../../../test/support/until.ts';
import { Batch } from '../../batch.ts';
import type { Writer } from '../../contract.ts';
import { CHECKPOINT_TABLE } from '../../sql-target/kept.ts';
import { OutsideError } from '../../../outside/errors.ts';

describe('a session that sleeps in a transaction', () => {
  const mysql = useDatabase();

  const open = (owner: string, token: bigint): Promise<Writer> =>
    mysql.session.write({
      stream: 't',
      fields: [
        { name: 'id', type: 'int64', nullable: false },
        { name: 'v', type: 'text', nullable: true },
      ],
      key: ['id'],
      mode: 'upsert',
      owner,
      create: true,
      token,
    });
  const one = (text: string): Batch => Batch.ofRows([['1', text]], { position: text });

  /** A writer that has written a row and sleeps before its commit. */
  async function asleep(owner: string, token: bigint): Promise<{ wake(): void; written: Promise<unknown>; writer: Writer }> {
    const writer = await open(owner, token);
    const { promise: awake, resolve: wake } = Promise.withResolvers<void>();
    const { promise: sleeps, resolve: sleep } = Promise.withResolvers<void>();
    const written = writer.write(one('asleep'), async () => {
      sleep();
      await awake;
      return 'noted';
    });
    written.catch(() => undefined);
    await sleeps;
    return { wake, written, writer };
  }

  test('is ended by the next claim, which is not held up', async () => {
    const sleeper = await asleep('one', 1n);
    const started = performance.now();
    const next = await open('one', 2n);
    await next.write(one('awake'));
    await next.finish();
    await next.close();
    assert.ok(performance.now() - started < 10_000, 'the server waits 50 s for the lock of a row');
    sleeper.wake();
    await assert.rejects(sleeper.written, OutsideError);
    await sleeper.writer.close();
    assert.deepEqual(await mysql.database.query('select * from t'), [['1', 'awake']]);
  });

  /** Another session that goes by the name of a claim, as if a worker had got no further than this. */
  async function left(owner: string, token: bigint, statements: readonly string[]): Promise<() => Promise<unknown>> {
    const connection = await mysql.database.connect();
    await connection.query(
      `select get_lock(concat('syncline ', left(sha2(concat(database(), '/', '${owner}', '/${token}'), 256), 32)), 10)`,
    );
    for (const statement of statements) await connection.query(statement);
    return () => connection.query('commit');
  }

  /** The next claim writes, and is not held up by what is left of the one before. */
  async function writesSoon(owner: string, token: bigint): Promise<void> {
    const started = performance.now();
    const next = await open(owner, token);
    await next.write(one('awake'));
    await next.close();
    assert.ok(performance.now() - started < 10_000, 'the server waits 50 s for the lock of a row');
    assert.deepEqual(await mysql.database.query('select * from t'), [['1', 'awake']]);
  }

  test('is ended also when it has locked no more than rows of the table', async () => {
    await (await open('rows', 1n)).close();
    await mysql.database.query('delete from t');
    const wake = await left('rows', 1n, ['begin', "insert into t values (1, 'asleep')"]);
    await writesSoon('rows', 2n);
    await assert.rejects(wake());
  });

  test('is ended also when it is the first of all, and has not committed that it has begun', async () => {
    await (await open('others', 1n)).close();
    const row = `insert into ${CHECKPOINT_TABLE} (owner, token, updated_at) values ('first', 1, utc_timestamp(6))`;
    const wake = await left('first', 1n, ['begin', row]);
    await writesSoon('first', 2n);
    await assert.rejects(wake());
  });

  test('is found also when its worker had another for the same claim, which the server has not let go of', async () => {
    await open('again', 1n);
    const sleeper = await asleep('again', 1n);
    await writesSoon('again', 2n);
    sleeper.wake();
    await assert.rejects(sleeper.written, OutsideError);
    await sleeper.writer.close();
  });

  test('stays when it is of a later claim', async () => {
    const sleeper = await asleep('two', 5n);
    const earlier = open('two', 4n);
    earlier.catch(() => undefined);
    let waited = 0;
    await until('the earlier one to have lost its patience, and to wait anew', async () => {
      const [[seconds] = []] = await mysql.database.query(`
        select time from information_schema.processlist
        where db = database() and id <> connection_id() and info like '%${CHECKPOINT_TABLE}%'`);
      const isAnew = seconds != null && Number(seconds) < waited;
      waited = Math.max(waited, Number(seconds ?? 0));
      return isAnew;
    });
    sleeper.wake();
    await sleeper.written;
    await assert.rejects(earlier, { kind: 'fenced' });
    await sleeper.writer.close();
  });

  test('is left alone when it is in no one’s way, and hears that another worker took over', async () => {
    const idle = await open('five', 1n);
    await (await open('five', 2n)).close();
    await assert.rejects(idle.write(one('late')), { kind: 'fenced' });
    await idle.close();
  });

  test('stays when it is of other work', async () => {
    const sleeper = await asleep('three', 1n);
    await (await open('four', 2n)).close();
    sleeper.wake();
    await sleeper.written;
    await sleeper.writer.close();
  });
});
