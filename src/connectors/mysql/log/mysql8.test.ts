import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import {
  eventBytes,
  formatEvent,
  gtidBody,
  imageBytes,
  little,
  long,
  names,
  packed,
  queryBody,
  rowsBody,
  tableMapBody,
} from '../../../../test/support/mysql-events.ts';
import type { Change, ChangeSet } from '../../changes.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { typed } from '../catalogue/columns.ts';
import type { MysqlConfig } from '../manifest.ts';
import { LogAssembly } from './assembly.ts';
import { textReader } from './charsets.ts';
import { EVENT, TYPE } from './codes.ts';
import { eventIn } from './events.ts';
import { type Layout, layoutOf } from './layout.ts';
import { columnsIn } from './table-map.ts';
import { nameColumns } from './tables.ts';

const SERVER = '3e11fa47-71ca-11e1-9e33-c80aa9429562';
const CONFIG = { host: 'h', user: 'u', database: 'shop' } as MysqlConfig;

const COLUMNS = [
  { type: TYPE.long },
  { type: TYPE.varchar, size: [80, 0], nullable: true },
  { type: TYPE.longlong, nullable: true },
  { type: TYPE.json, size: [4], nullable: true },
];
/** Signed, unsigned; utf8mb4; the names. */
const DESCRIBED: [number, Buffer][] = [
  [1, Buffer.from([0b0100_0000])],
  [2, packed(255)],
  [4, names('id', 'name', 'total', 'doc')],
];

/** A log that is told to the assembly as a server would. */
class MadeLog {
  readonly assembly: LogAssembly;

  constructor(gtid: string | undefined = `${SERVER}:1-5`) {
    this.assembly = new LogAssembly({
      database: 'shop',
      streams: [{ stream: 'orders', fields: ['id', 'name', 'total', 'doc'], key: ['id'] }],
      foldsCase: false,
      place: { server: SERVER, file: 'binlog.000001', at: 4, made: 1_700_000_000, ...(gtid !== undefined && { gtid }) },
      server: SERVER,
      isSameServer: true,
      hasChecksums: true,
      layouts: {
        layoutOf: (stream, _, { columns }) => Promise.resolve(layoutFor(stream, columns)),
        foreignKeys: () => Promise.resolve([]),
      },
    });
  }

  async tell(...events: Buffer[]): Promise<void> {
    for (const bytes of events) {
      await this.assembly.handle(eventIn(bytes, 0, bytes.length, this.assembly.format));
      while (this.assembly.isUnpacking) await this.assembly.unpack();
    }
  }
}

function layoutFor(stream: number, bytes: Buffer): Layout {
  const logged = columnsIn(bytes, false);
  const columns = nameColumns(logged, undefined, { charsetOf: () => 'utf8mb4', config: CONFIG, writtenAt: 0 });
  assert.ok(columns);
  const options = { text: textReader('utf8mb4', undefined), zeroDates: 'null' as const };
  const named = columns.map((column, i) => column && { logged: logged[i] as (typeof logged)[number], column, options });
  return layoutOf(stream, { stream: 'orders', fields: ['id', 'name', 'total', 'doc'], key: ['id'] }, named, logged);
}

const row = (id: number, name: string | null, total: bigint | null, doc: Buffer | null = null): Buffer =>
  imageBytes([
    little(id, 4),
    name === null ? null : Buffer.concat([Buffer.from([Buffer.byteLength(name)]), Buffer.from(name)]),
    total === null ? null : long(total),
    doc && Buffer.concat([little(doc.length, 4), doc]),
  ]);
const valuesOf = ({ changes }: ChangeSet): unknown[] =>
  changes.map((change: Change) =>
    'row' in change ? [change.op, ...change.row] : 'key' in change && change.op === 'delete' ? ['delete', ...change.key] : change.op,
  );
const MAP = tableMapBody(90, 'shop', 'orders', COLUMNS, DESCRIBED);

describe('events of MySQL 8', () => {
  test('a transaction with GTID, BEGIN, rows of version 2 with something in front, and XID', async () => {
    const log = new MadeLog();
    const extra = Buffer.from([0, 3, 1, 2, 3]);
    await log.tell(
      formatEvent(),
      eventBytes(EVENT.gtid, gtidBody(SERVER, 6n, 1_700_000_001_234_567n)),
      eventBytes(EVENT.query, queryBody('shop', 'BEGIN')),
      eventBytes(EVENT.tableMap, MAP),
      eventBytes(EVENT.writeRows, rowsBody(90, 4, [row(1, 'ä', 18_446_744_073_709_551_615n), row(2, null, null)], { extra })),
      eventBytes(EVENT.updateRows, rowsBody(90, 4, [row(1, 'ä', 5n), row(3, 'b', 6n)], { isUpdate: true })),
      eventBytes(EVENT.deleteRows, rowsBody(90, 4, [row(2, null, null)])),
    );
    assert.equal(log.assembly.hasWhole, false);
    await log.tell(eventBytes(EVENT.xid, long(77n), { endsAt: 2222 }));
    const set = log.assembly.take();
    assert.deepEqual(valuesOf(set), [
      'fields',
      ['insert', '1', 'ä', '18446744073709551615', null],
      ['insert', '2', null, null, null],
      ['update', '3', 'b', '6', null],
      ['delete', '2'],
    ]);
    const update = set.changes[3];
    assert.deepEqual(update?.op === 'update' && update.key, ['1']);
    assert.equal(set.committedAt, 1_700_000_001_235);
    assert.deepEqual(JSON.parse(set.position ?? ''), {
      server: SERVER,
      file: 'binlog.000001',
      at: 2222,
      made: 1_700_000_000,
      gtid: `${SERVER}:1-6`,
    });
    const [fields] = set.changes;
    assert.deepEqual(fields?.op === 'fields' && fields.fields.map(({ name, type, native }) => [name, type, native]), [
      ['id', 'int64', 'int'],
      ['name', 'text', 'varchar(20)'],
      ['total', 'decimal', 'bigint unsigned'],
      ['doc', 'json', 'json'],
    ]);
  });

  test('a compressed transaction', async () => {
    const log = new MadeLog();
    const plain = { isChecked: false, endsAt: 0 };
    const inner = Buffer.concat([
      eventBytes(EVENT.query, queryBody('shop', 'BEGIN'), plain),
      eventBytes(EVENT.tableMap, MAP, plain),
      ...Array.from({ length: 500 }, (_, id) => eventBytes(EVENT.writeRows, rowsBody(90, 4, [row(id, 'x'.repeat(20), 1n)]), plain)),
      eventBytes(EVENT.xid, long(1n), plain),
    ]);
    const payload = (method: number, bytes: Buffer): Buffer =>
      Buffer.concat([
        ...(
          [
            [1, bytes.length],
            [2, method],
            [3, inner.length],
          ] as const
        ).flatMap(([field, value]) => [packed(field), packed(packed(value).length), packed(value)]),
        packed(0),
        bytes,
      ]);
    for (const [number, body] of [
      [6n, payload(0, zstdCompressSync(inner))],
      [7n, payload(255, inner)],
    ] as const) {
      await log.tell(
        formatEvent(),
        eventBytes(EVENT.gtid, gtidBody(SERVER, number)),
        eventBytes(EVENT.transactionPayload, body, { endsAt: 3000 + Number(number) }),
      );
      const set = log.assembly.take();
      assert.equal(set.changes.filter(({ op }) => op === 'insert').length, 500);
      assert.deepEqual(
        [JSON.parse(set.position ?? '').at, JSON.parse(set.position ?? '').gtid],
        [3000 + Number(number), `${SERVER}:1-${number}`],
      );
    }
    await assert.rejects(log.tell(eventBytes(EVENT.transactionPayload, payload(9, inner))), /not known/);
  });

  test('transactions without numbers, DDL, another file, a file beyond 4 GiB', async () => {
    const log = new MadeLog('');
    await log.tell(
      formatEvent(),
      eventBytes(EVENT.anonymousGtid, gtidBody(SERVER, 0n)),
      eventBytes(EVENT.query, queryBody('shop', 'truncate `orders`'), { endsAt: 4_294_967_000 }),
    );
    const set = log.assembly.take();
    assert.deepEqual(valuesOf(set), ['truncate']);
    await log.tell(
      eventBytes(EVENT.anonymousGtid, gtidBody(SERVER, 0n)),
      eventBytes(EVENT.query, queryBody('', 'drop table shop.orders'), { endsAt: 100 }),
    );
    const beyond = log.assembly.take();
    assert.equal(JSON.parse(beyond.position ?? '').at, 4_294_967_296 + 100);
    assert.ok(beyond.changes[0]?.op === 'lost' && beyond.changes[0].error.code === 'TABLE_DROPPED');
    await log.tell(
      eventBytes(EVENT.rotate, Buffer.concat([long(4n), Buffer.from('binlog.000002')]), { endsAt: 500 }),
      formatEvent({ time: 1_700_000_500 }),
    );
    assert.deepEqual(JSON.parse(log.assembly.take().position ?? ''), {
      server: SERVER,
      file: 'binlog.000002',
      at: 126,
      made: 1_700_000_500,
      gtid: '',
    });
  });

  test('a rolled back transaction is not told; what says that changes are missing is', async () => {
    const log = new MadeLog();
    await log.tell(
      formatEvent(),
      eventBytes(EVENT.gtid, gtidBody(SERVER, 6n)),
      eventBytes(EVENT.query, queryBody('shop', 'BEGIN')),
      eventBytes(EVENT.tableMap, MAP),
      eventBytes(EVENT.writeRows, rowsBody(90, 4, [row(1, 'a', 1n)])),
      eventBytes(EVENT.query, queryBody('shop', 'ROLLBACK')),
    );
    assert.deepEqual(log.assembly.take().changes, []);
    // The fields were taken back with it, and are told again.
    await log.tell(
      eventBytes(EVENT.query, queryBody('shop', 'BEGIN')),
      eventBytes(EVENT.tableMap, MAP),
      eventBytes(EVENT.writeRows, rowsBody(90, 4, [row(1, 'a', 1n)])),
      eventBytes(EVENT.xid, long(1n)),
    );
    assert.deepEqual(valuesOf(log.assembly.take()), ['fields', ['insert', '1', 'a', '1', null]]);
    await assert.rejects(
      async () => log.tell(eventBytes(EVENT.incident, little(1, 2))),
      (error) => error instanceof OutsideError && error.kind === 'gap',
    );
  });

  test('a prepared transaction (XA), and JSON of which a part was logged, are told as lost', async () => {
    const log = new MadeLog();
    await log.tell(
      formatEvent(),
      eventBytes(EVENT.gtid, gtidBody(SERVER, 6n)),
      eventBytes(EVENT.query, queryBody('shop', "XA START X'61',X'',1")),
      eventBytes(EVENT.tableMap, MAP),
      eventBytes(EVENT.writeRows, rowsBody(90, 4, [row(1, 'a', 1n)])),
      eventBytes(EVENT.query, queryBody('shop', "XA END X'61',X'',1")),
      eventBytes(EVENT.xaPrepare, Buffer.from([0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0x61])),
      eventBytes(EVENT.gtid, gtidBody(SERVER, 7n)),
      eventBytes(EVENT.query, queryBody('shop', "XA COMMIT X'61',X'',1")),
      eventBytes(EVENT.gtid, gtidBody(SERVER, 8n)),
      eventBytes(EVENT.query, queryBody('shop', 'BEGIN')),
      eventBytes(EVENT.tableMap, MAP),
      eventBytes(EVENT.partialUpdateRows, rowsBody(90, 4, [])),
      eventBytes(EVENT.xid, long(1n)),
    );
    const set = log.assembly.take();
    assert.deepEqual(
      set.changes.flatMap((change) => (change.op === 'lost' ? [change.error.code] : [])),
      ['XA_PREPARED', 'LOG_IMAGE'],
    );
    assert.equal(JSON.parse(set.position ?? '').gtid, `${SERVER}:1-8`);
  });

  test('a file that is another one, a wrong checksum, an event that is cut off', async () => {
    await assert.rejects(
      new MadeLog().tell(formatEvent({ time: 5 })),
      (error) => error instanceof OutsideError && error.code === 'LOG_RESET',
    );
    const log = new MadeLog();
    await log.tell(formatEvent());
    const wrong = eventBytes(EVENT.xid, long(1n));
    wrong[20] = 9;
    await assert.rejects(
      log.tell(wrong),
      (error) => error instanceof OutsideError && error.code === 'CHECKSUM_WRONG' && error.kind === 'transient',
    );
    await log.tell(eventBytes(EVENT.tableMap, MAP));
    const cut = rowsBody(90, 4, [row(1, 'abc', 1n)]);
    for (let length = 0; length < cut.length; length++) {
      const outcome = await log.tell(eventBytes(EVENT.writeRows, cut.subarray(0, length))).then(
        () => 'read',
        (error: unknown) => error,
      );
      assert.ok(
        outcome === 'read' || (outcome instanceof OutsideError && outcome.code === 'PROTOCOL_ERROR'),
        `${length}: ${String(outcome)}`,
      );
    }
  });

  test('columns are described as they would be made', () => {
    const described = columnsIn(
      tableMapBody(
        1,
        'd',
        't',
        [
          { type: TYPE.tiny },
          { type: TYPE.year },
          { type: TYPE.short },
          { type: TYPE.geometry, size: [4] },
          { type: TYPE.string, size: [TYPE.string, 40] },
          { type: TYPE.string, size: [TYPE.string ^ 0x10, 0x20] },
          { type: TYPE.string, size: [TYPE.enum, 1] },
          { type: TYPE.blob, size: [2] },
        ],
        [
          [1, Buffer.from([0b0110_0000])],
          [2, Buffer.concat([packed(45), packed(2), packed(63)])],
          [6, Buffer.concat([packed(2), names('a', 'b')])],
          [10, packed(8)],
          [12, Buffer.from([0xff])],
        ],
      ).subarray(6 + 2 + 3 + 3),
      false,
    );
    assert.deepEqual(
      described.map(({ type, size, isUnsigned, collation, members }) => [type, size, isUnsigned ?? collation, members?.map(String)]),
      [
        [TYPE.tiny, 0, false, undefined],
        [TYPE.year, 0, undefined, undefined],
        [TYPE.short, 0, true, undefined],
        [TYPE.geometry, 4, undefined, undefined],
        [TYPE.string, 40, 45, undefined],
        [TYPE.string, 0x120, 45, undefined],
        [TYPE.enum, 1, 8, ['a', 'b']],
        [TYPE.blob, 2, 63, undefined],
      ],
    );
    assert.equal(
      typed(
        {
          name: 'x',
          dataType: 'int',
          columnType: 'int',
          nullable: true,
          characterSet: null,
          collation: null,
          comment: '',
          extra: '',
          isJson: false,
        },
        {},
      ).field.type,
      'int64',
    );
  });

  test('behind events that the server does not send, one stands where the next transaction begins', async () => {
    const log = new MadeLog();
    await log.tell(formatEvent(), eventBytes(EVENT.gtid, gtidBody(SERVER, 6n, 1_700_000_001_234_567n)));
    await log.tell(eventBytes(EVENT.query, queryBody('shop', 'create table beside (id int)'), { endsAt: 2222 }));
    assert.equal(log.assembly.place.at, 2222);
    const begin = eventBytes(EVENT.gtid, gtidBody(SERVER, 7n, 1_700_000_001_234_567n), { endsAt: 5000 });
    const approach = (bytes: Buffer): void => log.assembly.approach(eventIn(bytes, 0, bytes.length, log.assembly.format));
    approach(begin);
    const start = 5000 - begin.length;
    assert.equal(log.assembly.place.at, start);
    await log.tell(begin);
    // Inside of a transaction nothing is whole yet.
    approach(eventBytes(EVENT.query, queryBody('shop', 'BEGIN'), { endsAt: 7000 }));
    assert.equal(log.assembly.place.at, start);
  });
});
