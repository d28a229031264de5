import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { errorOf, type FakeS3, listOf, type Rudeness, startFakeS3 } from '../../../../../test/support/fake-s3.ts';
import { failure } from '../../../../../test/support/session-outcome.ts';
import { reachOf } from '../../../../outside/reach.ts';
import type { S3Config } from '../config.ts';
import { S3Client } from './client.ts';
import { headOf, list, objectFile } from './objects.ts';
import { s3Place } from './place.ts';
import { completeUpload } from './upload.ts';

const never = new AbortController().signal;
const SILENCE = 300;

async function withFake(answer: Rudeness, work: (client: S3Client, fake: FakeS3, config: S3Config) => Promise<void>): Promise<void> {
  const fake = await startFakeS3(answer);
  const keys = { access_key_id: 'AKIDEXAMPLE', secret_access_key: 'wJalrXUtnFEMI' };
  const config: S3Config = { type: 's3', bucket: 'shop', region: 'us-east-1', addressing: 'auto', endpoint: fake.endpoint, ...keys };
  const client = new S3Client(config, reachOf('any'), SILENCE);
  try {
    await work(client, fake, config);
  } finally {
    client.close();
    fake.close();
  }
}

async function read(chunks: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts).toString();
}

describe('an answer without words', () => {
  test('is asked for with some: the clock, the keys and the region are told as elsewhere', async () => {
    const theirs = new Date(Date.now() - 5 * 3_600_000);
    const isRight = (stamp: unknown): boolean => String(stamp).startsWith(theirs.toISOString().slice(0, 13).replace(/[-:]/g, ''));
    const headers = { date: theirs.toUTCString() };
    const skewed: Rudeness = (request) =>
      isRight(request.headers['x-amz-date'])
        ? { headers: { 'content-length': '4', etag: '"x"' } }
        : { status: 403, headers, body: request.method === 'HEAD' ? '' : errorOf('RequestTimeTooSkewed') };
    await withFake(skewed, async (client) => assert.equal((await headOf(client, 'a.csv', never))?.size, 4));
    for (const [word, code] of [
      ['RequestTimeTooSkewed', 'CLOCK_WRONG'],
      ['SignatureDoesNotMatch', 'KEY_REFUSED'],
      ['AccessDenied', 'FILE_FORBIDDEN'],
    ] as const)
      await withFake(
        ({ method }) => ({ status: 403, headers, body: method === 'HEAD' ? '' : errorOf(word) }),
        async (client) => assert.equal((await failure(headOf(client, 'a.csv', never))).code, code),
      );
  });

  test('what a storage cannot do at all is not tried again and again', () =>
    withFake(
      () => ({ status: 501, body: errorOf('NotImplemented') }),
      async (client, { asked }) => {
        assert.equal((await failure(list(client, '', never))).code, 'STORAGE_REFUSED');
        assert.equal(asked.length, 1);
      },
    ));

  test('headers that change on the way are not signed', () =>
    withFake(
      () => listOf([]),
      async (client, { asked }) => {
        await list(client, '', never);
        assert.match(String(asked[0]?.headers.authorization), /SignedHeaders=host;x-amz-content-sha256;x-amz-date,/);
        assert.equal(asked[0]?.headers['accept-encoding'], 'identity');
      },
    ));
});

describe('a list', () => {
  test('of thousands goes on to its end; one that broke off is asked for again', async () => {
    const keys = Array.from({ length: 2500 }, (_, n) => `k${n}.csv`);
    let breaks = 2;
    const answer: Rudeness = ({ url }, response) => {
      const from = Number(url.searchParams.get('continuation-token') ?? 0);
      const page = listOf(keys.slice(from, from + 1000), from + 1000 < keys.length ? String(from + 1000) : undefined);
      if (from === 0 || breaks-- <= 0) return page;
      response.writeHead(200, { 'content-length': String(page.body.length) });
      response.write(page.body.slice(0, 100), () => response.socket?.destroy());
      return undefined;
    };
    await withFake(answer, async (client, { asked }) => {
      assert.deepEqual(
        (await list(client, '', never)).files.map(({ name }) => name),
        keys,
      );
      assert.equal(asked.length, 5);
    });
  });

  test('that leads in circles, or names what cannot be, is an error', async () => {
    let turn = 0;
    await withFake(
      () => listOf([], `page ${turn++ % 2}`),
      async (client) => assert.equal((await failure(list(client, '', never))).code, 'ANSWER_BROKEN'),
    );
    await withFake(
      () => listOf([`${'k'.repeat(5000)}.csv`]),
      async (client) => assert.equal((await failure(list(client, '', never))).code, 'ANSWER_BROKEN'),
    );
    await withFake(
      () => listOf(['half&#xD800;.csv']),
      async (client) => assert.equal((await list(client, '', never)).files[0]?.name, 'half&#xD800;.csv'),
    );
  });

  test('keys of all kinds are asked for as they are; what no path can say is passed by', async () => {
    const names = ['a b.csv', 'a+b.csv', 'ä€😀.csv', 'a%2Fb.csv', 'a;b&c=d.csv', "it's(1)!*.csv", 'a\\b.csv'];
    const prefixes = ['a//', '../', './'];
    const answer: Rudeness = ({ url }) => {
      if (!url.searchParams.has('list-type')) return { status: 206, headers: { etag: '"x"' }, body: 'n\n1\n' };
      const { body } = listOf(names.map((name) => encodeURIComponent(name)));
      const more = prefixes.map((prefix) => `<CommonPrefixes><Prefix>${encodeURIComponent(prefix)}</Prefix></CommonPrefixes>`).join('');
      return { body: body.replace('<IsTruncated>', '<EncodingType>url</EncodingType><IsTruncated>').replace('</ListB', `${more}</ListB`) };
    };
    await withFake(answer, async (_, { asked }, config) => {
      const place = s3Place(config, reachOf('any'), never);
      const entries = await place.entries('', never);
      assert.deepEqual(
        entries.map(({ name }) => name),
        ['a/', ...names],
      );
      for (const entry of entries.slice(1)) await read((await place.file(entry.name, entry.name, never, entry)).bytes(0, never));
      assert.deepEqual(
        asked.slice(1).map(({ url }) => decodeURIComponent(url.pathname)),
        names.map((name) => `/shop/${name}`),
      );
      await place.close();
    });
  });
});

describe('an object', () => {
  const file = (client: S3Client) => objectFile(client, 'a.csv', 'a.csv', { size: 8, stamp: '8-x' });
  const rangeOf = (from: number, to: number, total: number): Record<string, string> => ({
    'content-range': `bytes ${from}-${to}/${total}`,
  });

  test('that was replaced since it was listed, or is another part than was asked for, is not taken', async () => {
    for (const [headers, body, code] of [
      [rangeOf(0, 3, 4), 'n\n1\n', 'FILE_CHANGED'],
      [rangeOf(0, 9, 10), 'n\n1\n2\n3\n4\n', 'FILE_CHANGED'],
      [rangeOf(4, 7, 8), '2\n3\n', 'ANSWER_BROKEN'],
      [{}, 'n\n1\n2\n3\n4\n5\n', 'FILE_CHANGED'],
    ] as const)
      await withFake(
        () => ({ status: 206, headers, body }),
        async (client) => {
          assert.equal((await failure(read(file(client).bytes(0, never)))).code, code);
          assert.ok(['FILE_CHANGED', 'ANSWER_BROKEN'].includes((await failure(file(client).slice(0, 8, never))).code));
        },
      );
    await withFake(
      ({ headers }) => (headers.range === 'bytes=0-' ? { status: 206, body: 'n\n1\n' } : { status: 416 }),
      async (client) => assert.equal((await failure(read(file(client).bytes(0, never)))).code, 'FILE_CHANGED'),
    );
  });
});

describe('an upload whose completion', () => {
  const done = '<CompleteMultipartUploadResult><ETag>x</ETag></CompleteMultipartUploadResult>';
  const upload = { id: 'up', mark: 'm', parts: ['"1"'] };

  test('takes long, with a blank now and then, is waited for', () =>
    withFake(
      (_, response) => {
        response.writeHead(200);
        let blanks = 0;
        const timer = setInterval(() => {
          if (++blanks < 12) response.write(' ');
          else {
            clearInterval(timer);
            response.end(done);
          }
        }, SILENCE / 4);
        return undefined;
      },
      async (client, { asked }) => {
        assert.equal(await completeUpload(client, 'a.csv', upload, never), true);
        assert.equal(asked.length, 1);
      },
    ));

  test('is told in an answer that breaks off is found out by what is there', () =>
    withFake(
      ({ method }, response) => {
        if (method === 'HEAD') return { headers: { 'content-length': '4', etag: '"x"', 'x-amz-meta-syncline': 'm' } };
        response.writeHead(200, { 'content-length': '1000' });
        response.write(done.slice(0, 30), () => response.socket?.destroy());
        return undefined;
      },
      async (client) => assert.equal(await completeUpload(client, 'a.csv', upload, never), true),
    ));
});
