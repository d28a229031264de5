import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { LOGGING, logFixture, type LogFixture, requestOf, told } from '../../../../test/support/mysql-log.ts';
import { ownMysqlWords, startOwnMysql } from '../../../../test/support/mysql-server.ts';
import { until } from '../../../../test/support/until.ts';
import type { ChangeLog, LogRequest } from '../../changes.ts';
import { OutsideError } from '../../../outside/errors.ts';

const WORDS = ownMysqlWords();
const REQUEST: LogRequest = requestOf({ stream: 't', fields: ['id'], key: ['id'] });

describe('gaps in the log of a server', () => {
  const stops: (() => void)[] = [];
  after(() => {
    for (const stop of stops) stop();
  });

  const start = async (...settings: string[]): Promise<LogFixture & { stop: () => void }> => {
    const server = await startOwnMysql([...LOGGING, ...settings]);
    stops.push(() => server.stop());
    return { ...(await logFixture(server.url)), stop: () => server.stop() };
  };
  /** The next second: files that are begun within one cannot be told apart. */
  const nextSecond = async (): Promise<void> => {
    const second = Math.floor(Date.now() / 1000);
    await until('the next second', () => Math.floor(Date.now() / 1000) > second);
  };
  const first = async (log: ChangeLog, from: string): Promise<void> => {
    for await (const set of log.follow(REQUEST, from)) if (set.changes.length > 0) return;
  };
  const isGap =
    (code: string) =>
    (error: unknown): boolean => {
      assert.ok(error instanceof OutsideError, String(error));
      assert.deepEqual([error.kind, error.code], ['gap', code], error.message);
      return /read anew/.test(error.message);
    };

  test('the log was removed, or numbered anew, while nobody read it', async () => {
    const { database, log: open } = await start();
    const log = await open();
    await database.query('create table t (id int primary key)');
    const old = await log.hold(REQUEST);
    await database.query('insert into t values (1)');
    await database.query('flush binary logs');
    const next = await log.end();
    const [[file] = []] = await database.query(WORDS.logStatus);
    // A file that somebody has just read is kept for a moment.
    await until('the log is gone', async () => {
      await database.query(`purge binary logs to '${file}'`);
      return (await database.query('show binary logs'))[0]?.[0] === file;
    });
    await assert.rejects(first(log, old), isGap('LOG_PURGED'));
    await nextSecond();
    await database.query(WORDS.resetLog);
    await assert.rejects(first(log, next), isGap('LOG_RESET'));
    // It has grown beyond where it was, and its numbers too.
    const young = await log.end();
    await nextSecond();
    await database.query(WORDS.resetLog);
    for (let id = 10; id < 40; id++) await database.query(`insert into t values (${id})`);
    await assert.rejects(first(log, young), isGap('LOG_RESET'));
    assert.equal((await told(log, REQUEST, await log.hold(REQUEST))).changes.length, 0);
  });

  test('the log is numbered anew while it is followed', async () => {
    const { database, log: open } = await start();
    const log = await open();
    await database.query('create table t (id int primary key)');
    const from = await log.hold(REQUEST);
    await database.query('insert into t values (1)');
    const following = log.follow(REQUEST, from)[Symbol.asyncIterator]();
    assert.equal((await following.next()).value?.changes.length, 2);
    const gone = (async (): Promise<unknown> => {
      let last = from;
      try {
        for (;;) {
          const { value } = await following.next();
          last = value?.position ?? last;
        }
      } catch (error) {
        // Who is cut off takes it up again, and is told then.
        if (error instanceof OutsideError && error.kind === 'transient')
          return first(log, last).then(
            () => undefined,
            (again: unknown) => again,
          );
        return error;
      }
    })();
    await nextSecond();
    await database.query(WORDS.resetLog);
    for (let id = 10; id < 13; id++) await database.query(`insert into t values (${id})`);
    const begun = Date.now();
    isGap('LOG_RESET')(await gone);
    assert.ok(Date.now() - begun < 60_000, 'within a minute');
  });

  test('a server that has everything is gone on with, one that has not is told', async () => {
    const primary = await start('--server-id=11', ...WORDS.numbered);
    const replica = await start('--server-id=12', ...WORDS.numbered);
    const stranger = await start('--server-id=13', ...WORDS.numbered);
    const { port } = primary.database;
    await replica.database.query(WORDS.resetLog);
    for (const statement of WORDS.replicate(port)) await replica.database.query(statement);
    const { name } = primary.database;
    await primary.database.query('create table t (id int primary key)');
    const log = await primary.log();
    const from = await log.hold(REQUEST);
    await primary.database.query('insert into t values (1)');
    const { position } = await told(log, REQUEST, from);
    await primary.database.query('insert into t values (2)');
    await until('the replica has it', async () => {
      const rows = await replica.database.query(`select count(*) from ${name}.t`).catch(() => [['0']]);
      return rows[0]?.[0] === '2';
    });
    const other = await replica.log({ database: name });
    const { changes, position: later } = await told(other, REQUEST, position);
    assert.deepEqual(
      changes.map((change) => (change.op === 'insert' ? change.row : change.op)),
      ['fields', ['2']],
    );
    assert.ok(log.isBefore(position, later) && !log.isBefore(later, position));
    const strange = await stranger.log();
    await assert.rejects(first(strange, position), isGap('SERVER_CHANGED'));
  });

  test('a server that is not set up for it says what to do', async () => {
    const { database, log: open, open: session } = await start();
    await database.query('create table t (id int primary key)');
    const log = await open();
    const refused = async (code: string, words: RegExp): Promise<void> => {
      await assert.rejects(log.hold(REQUEST), (error) => error instanceof OutsideError && error.code === code && words.test(error.message));
      assert.match((await log.check())[0] ?? '', words);
    };
    await database.query('set global binlog_format = STATEMENT');
    await refused('LOG_FORMAT', /SET GLOBAL binlog_format = 'ROW'/);
    await database.query('set global binlog_format = ROW');
    await database.query('set global binlog_row_image = MINIMAL');
    await refused('LOG_IMAGE', /SET GLOBAL binlog_row_image = 'FULL'/);
    await database.query('set global binlog_row_image = FULL');
    await database.query(`create user poor@'%' identified by 'secret'`);
    await database.query(`grant select on *.* to poor@'%'`);
    const poor = (await session({ user: 'poor', password: 'secret' })).log as ChangeLog;
    await assert.rejects(
      poor.hold(REQUEST),
      (error) => error instanceof OutsideError && error.kind === 'auth' && /GRANT REPLICATION/.test(error.message),
    );
    await database.query(`grant replication client on *.* to poor@'%'`);
    assert.match((await poor.check())[0] ?? '', /GRANT REPLICATION SLAVE/);
    await database.query(`grant replication slave on *.* to poor@'%'`);
    assert.deepEqual(await poor.check(), []);
    const from = await poor.hold(REQUEST);
    await database.query('insert into t values (1)');
    assert.equal((await told(poor, REQUEST, from)).changes.length, 2);
  });

  test('a server without a log, one that leaves the database out', async () => {
    const silent = await start('--skip-log-bin');
    await silent.database.query('create table t (id int primary key)');
    await assert.rejects(
      (await silent.log()).hold(REQUEST),
      (error) => error instanceof OutsideError && error.code === 'LOG_OFF' && error.kind === 'config',
    );
    const choosy = await start('--binlog-do-db=other');
    await choosy.database.query('create table t (id int primary key)');
    await assert.rejects((await choosy.log()).hold(REQUEST), (error) => error instanceof OutsideError && error.code === 'LOG_FILTERED');
  });
});
