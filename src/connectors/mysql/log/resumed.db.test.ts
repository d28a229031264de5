import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { requestOf, useLog } from '../../../../test/support/mysql-log.ts';
import { ownMysqlWords } from '../../../../test/support/mysql-server.ts';
import type { Change, ChangeLog, LogRequest } from '../../changes.ts';
import { OutsideError } from '../../../outside/errors.ts';

const WORDS = ownMysqlWords();

/** Numbers that look random, the same for the same seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return state % below;
  };
}

/** The rows as the log tells them. It says so when a change does not fit what came before it: then one was lost, or came twice. */
class ToldRows {
  readonly rows = new Map<string, readonly unknown[]>();

  take(change: Change): void {
    switch (change.op) {
      case 'insert':
        assert.ok(!this.rows.has(String(change.row[0])), 'what is inserted is not there yet');
        this.rows.set(String(change.row[0]), change.row);
        break;
      case 'update':
        assert.ok(this.rows.delete(String(change.key?.[0] ?? change.row[0])), 'what is updated is there');
        this.rows.set(String(change.row[0]), change.row);
        break;
      case 'delete':
        assert.ok(this.rows.delete(String(change.key[0])), 'what is deleted is there');
        break;
      case 'truncate':
        this.rows.clear();
        break;
      case 'fields':
        break;
      default:
        assert.fail(change.op);
    }
  }
}

for (const metadata of [WORDS.rowMetadata[0], 'FULL'])
  describe(`a log that is followed by many, one after the other (binlog_row_metadata ${metadata})`, () => {
    const fixture = useLog(['--max-binlog-size=65536', `--binlog-row-metadata=${metadata}`]);

    /** Changes rows of its own, at random: some of it is rolled back, and now and then all is gone. */
    const write = async (writer: number, seed: number): Promise<void> => {
      const connection = await fixture.database.connect();
      const random = numbers(seed + writer);
      const id = (): number => writer * 1000 + random(40);
      const statements = [
        (n: number) => `replace into t values (${id()}, 'v${n}', ${n}.25)`,
        (n: number) => `insert into t values (${id()}, 'i${n}', null) on duplicate key update n = 'u${n}'`,
        () => `delete from t where id = ${id()}`,
        () => `update ignore t set id = ${id()} where id = ${id()}`,
      ];
      for (let n = 0; n < 120; n++) {
        await connection.query('begin');
        await connection.query('savepoint s');
        for (let left = random(6); left >= 0; left--) {
          await connection.query((statements[random(4)] as (n: number) => string)(n));
          if (random(4) === 0) await connection.query(random(3) === 0 ? 'rollback to s' : 'savepoint s');
        }
        await connection.query(random(5) === 0 ? 'rollback' : 'commit');
        if (writer === 1 && n % 50 === 49) await connection.query('truncate t');
      }
    };

    /** Follows for so many sets, or to the end, or until it is stopped. Answers the position. */
    const followSome = async (
      log: ChangeLog,
      request: LogRequest,
      from: string,
      { sets, end, told }: { sets: number; end: string | undefined; told: ToldRows },
    ): Promise<string> => {
      let position = from;
      let left = sets;
      try {
        for await (const set of log.follow(request, from)) {
          for (const change of set.changes) told.take(change);
          assert.ok(set.position !== undefined);
          ({ position } = set);
          if (--left === 0 || (end !== undefined && !log.isBefore(position, end))) break;
        }
      } catch (error) {
        if (!(error instanceof OutsideError && error.code === 'ABORTED')) throw error;
      }
      return position;
    };

    test('tells every change once and in order', async () => {
      const seed = Number(process.env['TEST_SEED'] ?? Date.now() % 1_000_000);
      await fixture.database.query('create table t (id int primary key, n varchar(50), m decimal(9,2))');
      const log = await fixture.log();
      const stop = new AbortController();
      const request = { ...requestOf({ stream: 't', fields: ['id', 'n', 'm'], key: ['id'] }), signal: stop.signal };
      let position = await log.hold(request);
      const writing = Promise.all([1, 2, 3].map((writer) => write(writer, seed))).finally(() => stop.abort());
      const told = new ToldRows();
      const random = numbers(seed);
      while (!stop.signal.aborted) position = await followSome(log, request, position, { sets: 1 + random(20), end: undefined, told });
      await writing;
      const end = await log.end();
      const { signal: _, ...rest } = request;
      while (log.isBefore(position, end)) position = await followSome(log, rest, position, { sets: 1 + random(20), end, told });
      const rows = await fixture.database.query('select id, n, m from t order by id');
      assert.deepEqual(
        [...told.rows.values()].sort((one, other) => Number(one[0]) - Number(other[0])),
        rows,
        `TEST_SEED=${seed}`,
      );
    });
  });
