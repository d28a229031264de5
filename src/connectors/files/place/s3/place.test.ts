import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { after, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { openFiles } from '../../../../../test/support/files-session.ts';
import { failure, rowsOf } from '../../../../../test/support/session-outcome.ts';
import { makeBucket } from '../../../../../test/support/s3-bucket.ts';
import { startS3 } from '../../../../../test/support/s3-server.ts';
import { reachOf } from '../../../../outside/reach.ts';
import { rootsOf } from '../../../../outside/roots.ts';
import { Batch } from '../../../batch.ts';
import { withDefaults } from '../../../config-values.ts';
import type { WriteRequest } from '../../../contract.ts';
import type { Session } from '../../../session.ts';
import { connector } from '../../connector.ts';
import { FilesConfig } from '../../manifest.ts';

const server = await startS3();
const bucket = await makeBucket(server);
after(() => {
  bucket.client.close();
  server.stop();
});

const open = (given: Record<string, unknown>, place: Record<string, unknown> = {}): Promise<Session> =>
  openFiles({ ...given, place: { ...bucket.place, ...place } });

const request: WriteRequest = {
  stream: 'numbers',
  fields: [
    { name: 'n', type: 'int64', nullable: false },
    { name: 'at', type: 'timestamp', nullable: true },
  ],
  key: ['n'],
  mode: 'mirror',
  owner: 'one',
  token: 1n,
  create: true,
};
const rows = [
  ['1', '2026-01-02 03:04:05.123456'],
  ['2', null],
];

describe('files in S3', () => {
  for (const config of [{ format: 'csv', compression: 'gzip' }, { format: 'jsonl', compression: 'zstd' }, { format: 'parquet' }]) {
    test(`${config.format}: what is written comes back, with its types and key`, async () => {
      const session = await open({ path: `made/${config.format}/`, ...config });
      const writer = await session.write(request);
      await writer.write(Batch.ofRows(rows, { position: 'a' }));
      assert.deepEqual(await bucket.names(`made/${config.format}/`), ['.syncline/']);
      assert.equal((await writer.finish()).inserted, 2);
      await writer.close();
      const [stream] = await session.discover();
      assert.deepEqual(
        stream?.fields.map(({ name, type }) => [name, type]),
        [
          ['n', 'int64'],
          ['at', 'timestamp'],
        ],
      );
      if (config.format !== 'parquet') assert.deepEqual(stream?.key, ['n']);
      assert.deepEqual(await rowsOf(session, 'numbers', ['n', 'at']), rows);
      await session.close();
    });
  }

  test('are found by pattern, at any depth', async () => {
    for (const [key, n] of Object.entries({ 'in/2025/a.csv': 1, 'in/2026/b.csv': 2, 'in/2026/no.txt2': 3 }))
      await bucket.put(key, `n\n${n}\n`);
    const session = await open({ path: 'in/**/*.csv', name: 'all' });
    assert.deepEqual(await rowsOf(session, 'all', ['n']), [['1'], ['2']]);
    await session.close();
  });

  test('an append goes behind what is there, in one step; a writer that died is gone on from, and leaves no upload', async () => {
    await bucket.put('grow/numbers.csv', 'n,at\n7,\n');
    const session = await open({ path: 'grow/' });
    const first = await session.write({ ...request, mode: 'append' });
    await first.write(Batch.ofRows([['8', null]], { position: 'a' }));
    // It dies here: nothing is closed.
    const second = await session.write({ ...request, mode: 'append', token: 2n });
    assert.equal(second.checkpoint, 'a');
    await second.write(Batch.ofRows([['9', null]], { position: 'b' }));
    assert.equal((await failure(first.write(Batch.ofRows([['0', null]], { position: 'x' })))).kind, 'fenced');
    assert.equal((await bucket.get('grow/numbers.csv'))?.toString(), 'n,at\n7,\n');
    await second.finish();
    assert.equal((await bucket.get('grow/numbers.csv'))?.toString(), 'n,at\n7,\n8,\n9,\n');
    assert.equal((await failure(first.finish())).kind, 'fenced');
    const third = await session.write({ ...request, mode: 'append', token: 3n });
    assert.equal(third.checkpoint, 'b');
    for (const writer of [first, second, third]) await writer.close();
    await session.close();
    assert.equal(await bucket.uploads(), 0);
  });

  test('one of several parts becomes visible at once; what is stopped before leaves nothing', async () => {
    const stop = new AbortController();
    const config = withDefaults(FilesConfig, { path: 'large/', compression: 'gzip', place: bucket.place }) as FilesConfig;
    const context = { reach: reachOf('any'), roots: rootsOf({ folders: [tmpdir()], dataDir: '/nowhere' }) };
    const text = (): string => randomBytes(4_500_000).toString('base64');
    const large = {
      ...request,
      stream: 'large',
      fields: [{ name: 't', type: 'text', nullable: false } as const],
      key: [],
      mode: 'append',
    } as const;
    const session = await connector.open(config, { ...context, signal: stop.signal });
    const writer = await session.write(large);
    const texts = Array.from({ length: 5 }, text);
    for (const [n, one] of texts.entries()) await writer.write(Batch.ofRows([[one]], { position: String(n) }));
    await writer.finish();
    await writer.close();
    const whole = await bucket.get('large/large.csv.gz');
    assert.ok(whole && whole.length > 16 * 1024 * 1024);
    assert.ok(gunzipSync(whole).equals(Buffer.from(`t\n${texts.join('\n')}\n`)));
    const again = await session.write({ ...large, token: 2n });
    await again.write(Batch.ofRows([['more']], { position: '5' }));
    const finished = again.finish();
    stop.abort();
    assert.equal((await failure(finished)).code, 'ABORTED');
    assert.equal(await bucket.uploads(), 0);
    assert.ok((await bucket.get('large/large.csv.gz'))?.equals(whole));
    await session.close();
  });

  test('an empty mirror is an empty file, and one without rows of JSON Lines too', async () => {
    const session = await open({ path: 'empty/', format: 'jsonl' });
    const writer = await session.write(request);
    await writer.finish();
    await writer.close();
    assert.equal((await bucket.get('empty/numbers.jsonl'))?.length, 0);
    await session.close();
  });

  test('wrong keys, buckets and paths are told by the members that are to blame', async () => {
    const faultOf = async (given: Record<string, unknown>, place: Record<string, unknown> = {}) => {
      const session = await open(given, place);
      const { kind, code, field } = await failure(session.check());
      await session.close();
      return [kind, code, field];
    };
    assert.deepEqual(await faultOf({ path: '/' }, { secret_access_key: 'other' }), ['auth', 'KEY_REFUSED', 'place.secret_access_key']);
    assert.deepEqual(await faultOf({ path: '/' }, { bucket: 'not-there-at-all' }), ['config', 'BUCKET_MISSING', 'place.bucket']);
    assert.deepEqual(await faultOf({ path: 'none.csv' }), ['config', 'FILE_MISSING', 'path']);
    assert.deepEqual(await faultOf({ path: 'made/csv/.syncline/' }), ['config', 'PATH_REFUSED', 'path']);
  });

  test('a configuration that cannot be is refused by the names of its members', () => {
    const faults = connector.manifest.validate?.(
      withDefaults(FilesConfig, {
        url: 'https://a.example/x',
        place: { type: 's3', bucket: '-x', region: 'a b', endpoint: 'ftp://a', access_key_id: 'a' },
      }) as never,
    );
    assert.deepEqual(
      faults?.map(({ field }) => field),
      ['url', 'place.bucket', 'place.region', 'place.endpoint', 'place.secret_access_key'],
    );
  });
});
