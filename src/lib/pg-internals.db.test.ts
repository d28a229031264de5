// Fails when a new version of `pg` moves what we hold on to, and says what it was.
import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { newDatabase, type TestDatabase } from '../../test/support/postgres-database.ts';
import { startTlsFront } from '../../test/support/tls-front.ts';
import { until } from '../../test/support/until.ts';
import { parserOf, type PgQuery, type PgWire, queryByName, streamOf, submit, wireOf } from './pg-internals.ts';

/** A query that writes down what the driver tells it. */
class Recorder implements PgQuery {
  readonly heard: unknown[] = [];
  isOver = false;
  readonly #text: string;
  readonly #onCopy: (wire: PgWire) => void;
  #wire: PgWire | undefined;
  callback: (() => void) | undefined = undefined;

  constructor(text: string, onCopy: (wire: PgWire) => void = () => {}) {
    this.#text = text;
    this.#onCopy = onCopy;
  }

  submit(wire: PgWire): void {
    this.#wire = wireOf(wire);
    this.#wire.query(this.#text);
  }
  handleRowDescription(): void {
    this.heard.push('rows');
  }
  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    this.heard.push(fields);
  }
  handleCommandComplete({ text }: { text: string }): void {
    this.heard.push(text);
  }
  handleEmptyQuery(): void {
    this.heard.push('empty');
  }
  handleCopyInResponse(): void {
    this.heard.push('copy in');
    if (this.#wire) this.#onCopy(this.#wire);
  }
  handleError(error: unknown): void {
    this.heard.push((error as Error).message);
    this.isOver = true;
  }
  handleReadyForQuery(): void {
    this.heard.push('ready');
    this.isOver = true;
  }
}

describe('what we hold on to inside pg', () => {
  let database: TestDatabase;
  let client: pg.Client;
  const socket = new Socket();
  before(async () => {
    database = await newDatabase();
    client = new pg.Client({ connectionString: database.url, stream: () => socket });
    await client.connect();
  });
  after(async () => {
    await client.end();
    await database.close();
  });

  const heardBy = async (query: Recorder): Promise<unknown[]> => {
    submit(client, query);
    return until('the driver tells the query that it is over', () => query.isOver && query.heard);
  };

  test('the socket of a client is the one that we gave it, or the encrypted one on top of that', async () => {
    assert.equal(streamOf(client), socket);
    const front = await startTlsFront(database.config.port ?? 0);
    const below = new Socket();
    const url = Object.assign(new URL(database.url), { port: String(front.port) }).href;
    const secure = new pg.Client({ connectionString: url, ssl: { rejectUnauthorized: false }, stream: () => below });
    secure.on('error', () => {});
    await secure.connect();
    assert.notEqual(streamOf(secure), below);
    assert.ok('encrypted' in streamOf(secure), 'pg has moved the encrypted socket');
    assert.equal(typeof parserOf(streamOf(secure)), 'function');
    streamOf(secure).destroy();
    await front.close();
  });

  test('its parser is the one who listens, and can be handed what comes in by us', async () => {
    const parser = parserOf(socket);
    let bytes = 0;
    const between = (chunk: Buffer): void => {
      bytes += chunk.length;
      for (const byte of chunk) parser(Buffer.from([byte]));
    };
    socket.on('data', between);
    socket.removeListener('data', parser);
    assert.deepEqual((await client.query(`select 'here' as it`)).rows, [{ it: 'here' }], 'pg has moved its parser');
    assert.ok(bytes > 0);
    socket.on('data', parser);
    socket.removeListener('data', between);
  });

  test('a query of our own is told everything by the names that we know', async () => {
    const copied = await heardBy(
      new Recorder(`create temp table t (a text, b text); copy t from stdin; select a, b from t`, ({ stream }) => {
        stream.write(Buffer.from([0x64, 0, 0, 0, 9, ...Buffer.from('x\t\\N\n')]));
        stream.write(Buffer.from([0x63, 0, 0, 0, 4]));
      }),
    );
    assert.deepEqual(copied, ['CREATE TABLE', 'copy in', 'COPY 1', 'rows', ['x', null], 'SELECT 1', 'ready']);
    assert.deepEqual(await heardBy(new Recorder('')), ['empty', 'ready']);
    assert.deepEqual(await heardBy(new Recorder('select 1/0')), ['division by zero'], 'pg tells of an error, and no more');
  });

  test('a statement under a name is answered, kept by the server, and refused in its words', async () => {
    const numbers = (text: string, values?: unknown[]) => queryByName(client, 'ours', new pg.Query(text, values));
    for (const n of [1, 2]) assert.deepEqual((await numbers('select $1::int + 1 as n', [n])).rows, [{ n: n + 1 }]);
    const kept = await client.query(`select statement from pg_prepared_statements where name = 'ours'`);
    assert.deepEqual(kept.rows, [{ statement: 'select $1::int + 1 as n' }], 'pg has moved `name` of a query');
    const asking = async () => await queryByName(client, 'wrong', new pg.Query('select 1/0'));
    await assert.rejects(asking(), (error: Error & { code: string }) => error.code === '22012' && /asking/.test(error.stack ?? ''));
  });

  test('a COPY that we are sending can be taken back', async () => {
    const [, refused] = await heardBy(new Recorder('copy t from stdin', (wire) => wire.sendCopyFail('we thought better of it')));
    assert.match(String(refused), /we thought better of it/, 'pg has moved `connection.sendCopyFail(message)`');
    assert.deepEqual((await client.query('select count(*)::int as count from t')).rows, [{ count: 1 }]);
  });
});

test('what was moved is told in words', () => {
  const words = (what: RegExp) => ({
    name: 'DriverMoved',
    message: new RegExp(`^pg has moved ${what.source}.*src/lib/pg-internals\\.ts right\\.$`),
  });
  const stream = new Socket();
  const query = (): void => {};
  assert.throws(() => streamOf({} as never), words(/`client\.connection\.stream`/));
  assert.throws(() => wireOf({ query, sendCopyFail: query } as never), words(/`connection\.stream`/));
  assert.throws(() => wireOf({ stream, sendCopyFail: query } as never), words(/`connection\.query\(text\)`/));
  assert.throws(() => wireOf({ stream, query } as never), words(/`connection\.sendCopyFail\(message\)`/));
  assert.throws(() => queryByName({} as never, 'n', { name: '' } as never), words(/`name` and `callback` of a `Query`/));
  assert.throws(() => parserOf(stream), words(/its parser:.*there are 0 listeners/));
});
