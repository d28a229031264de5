import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { describe, test } from 'node:test';
import { openFiles } from '../../../../../test/support/files-session.ts';
import { failure as failureOf } from '../../../../../test/support/session-outcome.ts';
import { errorOf, type FakeS3, listOf, type Rudeness, startFakeS3 } from '../../../../../test/support/fake-s3.ts';
import { OutsideError } from '../../../../outside/errors.ts';
import { type Reach, reachOf } from '../../../../outside/reach.ts';
import { rootsOf } from '../../../../outside/roots.ts';
import { Batch } from '../../../batch.ts';
import { withDefaults } from '../../../config-values.ts';
import type { Session } from '../../../session.ts';
import { connector } from '../../connector.ts';
import { FilesConfig } from '../../manifest.ts';

const KEYS = { access_key_id: 'AKIDEXAMPLE', secret_access_key: 'wJalrXUtnFEMI' };

async function withFake(
  answer: Rudeness,
  work: (session: Session, fake: FakeS3) => Promise<void>,
  given: Record<string, unknown> = {},
  networks = 'any',
): Promise<void> {
  const fake = await startFakeS3(answer);
  const { path = '/', ...place } = given;
  const session = await openFiles({ path, place: { type: 's3', bucket: 'shop', endpoint: fake.endpoint, ...KEYS, ...place } }, networks);
  try {
    await work(session, fake);
  } finally {
    await session.close();
    fake.close();
  }
}

async function failure(work: Promise<unknown>): Promise<OutsideError> {
  const error = await failureOf(work);
  assert.ok(!JSON.stringify([error.message, error.hint]).includes(KEYS.secret_access_key));
  return error;
}

const isList = ({ url }: FakeS3['asked'][number]): boolean => url.searchParams.has('list-type');

describe('a list of a bucket', () => {
  test('goes on as long as there is more, with names as they are', async () => {
    const pages: Record<string, { body: string }> = { '': listOf(['a%20b.csv', 'c.csv'], 'one&amp;two'), 'one&two': listOf(['d%2B.csv']) };
    const encoded = Object.fromEntries(
      Object.entries(pages).map(([key, { body }]) => [
        key,
        { body: body.replace('<IsTruncated>', '<EncodingType>url</EncodingType><IsTruncated>') },
      ]),
    );
    const answer: Rudeness = (request) => {
      if (isList(request)) return encoded[request.url.searchParams.get('continuation-token') ?? ''];
      if (request.method === 'HEAD') return { headers: { 'content-length': '4', etag: '"x"' } };
      return { status: 206, headers: { etag: '"x"' }, body: 'n\n1\n' };
    };
    await withFake(answer, async (session, { asked }) => {
      assert.deepEqual(
        (await session.discover()).map(({ name }) => name),
        ['a b', 'c', 'd+'],
      );
      const paths = asked.filter((request) => !isList(request)).map(({ url }) => url.pathname);
      assert.ok(paths.includes('/shop/a%20b.csv') && paths.includes('/shop/d%2B.csv'), paths.join(' '));
    });
  });

  test('that never ends, is cut off or makes no sense is an error', async () => {
    for (const body of [
      listOf(['a.csv'], 'again').body,
      listOf(['a.csv']).body.slice(0, -10),
      listOf(['a.csv']).body.replace('<Size>4</Size>', '<Size>much</Size>'),
      '<html>Welcome</html>',
      '',
    ]) {
      await withFake(
        () => ({ body }),
        async (session) => {
          const error = await failure(session.discover());
          assert.deepEqual([error.kind, error.code], ['transient', 'ANSWER_BROKEN'], body);
        },
      );
    }
  });
});

describe('what a storage complains of', () => {
  for (const [status, body, kind, code, field] of [
    [403, errorOf('InvalidAccessKeyId'), 'auth', 'KEY_REFUSED', 'place.access_key_id'],
    [403, errorOf('SignatureDoesNotMatch'), 'auth', 'KEY_REFUSED', 'place.secret_access_key'],
    [400, errorOf('ExpiredToken'), 'auth', 'KEY_REFUSED', 'place.session_token'],
    [403, errorOf('AccessDenied'), 'auth', 'FILE_FORBIDDEN', 'path'],
    [404, errorOf('NoSuchBucket'), 'config', 'BUCKET_MISSING', 'place.bucket'],
    [302, '', 'config', 'REDIRECT_REFUSED', 'place.endpoint'],
    [418, 'teapot', 'config', 'STORAGE_REFUSED', 'place.endpoint'],
  ] as const) {
    test(`${status} ${code}`, () =>
      withFake(
        () => ({ status, body, headers: { location: 'http://127.0.0.1:1/elsewhere' } }),
        async (session, { asked }) => {
          const error = await failure(session.discover());
          assert.deepEqual([error.kind, error.code, error.field], [kind, code, field]);
          assert.equal(asked.length, 1);
        },
      ));
  }

  test('passing ones are tried again, a few times', () =>
    withFake(
      () => ({ status: 503, body: errorOf('SlowDown'), headers: { 'retry-after': '7' } }),
      async (session, { asked }) => {
        const error = await failure(session.discover());
        assert.deepEqual([error.kind, error.code, error.retryAfter, asked.length], ['transient', 'SERVER_BUSY', 7, 4]);
      },
    ));

  test('another region is gone to, once, at the same host, and told when that does not help', async () => {
    const answer: Rudeness = ({ headers }) =>
      /\/eu-central-1\//.test(String(headers.authorization))
        ? listOf([])
        : {
            status: 301,
            body: errorOf('PermanentRedirect'),
            headers: { 'x-amz-bucket-region': 'eu-central-1', location: 'http://127.0.0.1:1/' },
          };
    await withFake(answer, async (session) => assert.match((await session.check()).message, /without files/));
    await withFake(
      () => ({ status: 400, body: errorOf('AuthorizationHeaderMalformed', '<Region>us-west-9</Region>') }),
      async (session, { asked }) => {
        const error = await failure(session.discover());
        assert.deepEqual([error.code, error.field, asked.length], ['REGION_WRONG', 'place.region', 2]);
      },
    );
  });

  test('a clock that is wrong is set by theirs; if it stays so, it is told', async () => {
    const theirs = new Date(Date.now() + 3 * 3_600_000);
    const isRight = (stamp: unknown): boolean => String(stamp).startsWith(theirs.toISOString().slice(0, 13).replace(/[-:]/g, ''));
    const skewed = { status: 403, body: errorOf('RequestTimeTooSkewed'), headers: { date: theirs.toUTCString() } };
    await withFake(
      ({ headers }) => (isRight(headers['x-amz-date']) ? listOf([]) : skewed),
      async (session) => assert.match((await session.check()).message, /without files/),
    );
    await withFake(
      () => skewed,
      async (session) => assert.equal((await failure(session.discover())).code, 'CLOCK_WRONG'),
    );
  });

  test('an address out of bounds is refused, whatever its name', async () => {
    const networks = '10.0.0.0/8';
    await withFake(
      () => listOf([]),
      async (session, { asked }) => {
        assert.equal((await failure(session.discover())).code, 'ADDRESS_REFUSED');
        assert.equal(asked.length, 0);
      },
      {},
      networks,
    );
    const named = { endpoint: 'http://localhost:1' };
    await withFake(
      () => listOf([]),
      async (session) => assert.equal((await failure(session.discover())).code, 'ADDRESS_REFUSED'),
      named,
      networks,
    );
  });
});

describe('the bucket in an address', () => {
  test('stands before the host or in the path, and is signed so', async () => {
    const fake = await startFakeS3(() => listOf([]));
    const lookup: Reach['lookup'] = (_, options, callback) =>
      options.all ? callback(null, [{ address: '127.0.0.1', family: 4 }]) : callback(null, '127.0.0.1', 4);
    const hostOf = async (given: Record<string, unknown>): Promise<string> => {
      const place = { type: 's3', bucket: 'shop', endpoint: `http://storage.example:${fake.port}`, ...KEYS, ...given };
      const config = withDefaults(FilesConfig, { path: '/', place }) as FilesConfig;
      const context = { reach: { ...reachOf('any'), lookup }, roots: rootsOf({ folders: [tmpdir()], dataDir: '/nowhere' }) };
      const session = await connector.open(config, { ...context, signal: new AbortController().signal });
      await session.check();
      await session.close();
      const { url } = fake.asked.at(-1) as FakeS3['asked'][number];
      return `${url.hostname}${url.pathname}`;
    };
    assert.equal(await hostOf({}), 'storage.example/shop/');
    assert.equal(await hostOf({ addressing: 'virtual' }), 'shop.storage.example/');
    fake.close();
  });
});

describe('reading', () => {
  const content = 'n\n1\n2\n3\n';
  const head = { status: 200, headers: { 'content-length': String(content.length), etag: '"v1"' } };
  const rowsOf = async (session: Session): Promise<unknown[]> => {
    const rows: unknown[] = [];
    for await (const batch of session.read({ stream: 'a', fields: ['n'], key: [] })) rows.push(...batch.rows);
    return rows;
  };

  test('goes on where the connection was lost, and asks for the same object', () =>
    withFake(
      ({ method, headers }, response) => {
        if (method === 'HEAD') return head;
        const from = Number(/=(\d+)-/.exec(String(headers.range))?.[1]);
        if (from >= 4) return { status: 206, headers: { etag: '"v1"' }, body: content.slice(from) };
        response.writeHead(206, { 'content-length': String(content.length), etag: '"v1"' });
        response.write(content.slice(from, 4), () => response.socket?.destroy());
        return undefined;
      },
      async (session, { asked }) => {
        assert.deepEqual(await rowsOf(session), [['1'], ['2'], ['3']]);
        assert.ok(
          asked
            .filter(({ method }) => method === 'GET')
            .every(({ headers, url }) => headers['if-match'] === '"v1"' || url.pathname.includes('.syncline')),
        );
      },
      { path: 'a.csv' },
    ));

  test('an object that is replaced meanwhile, or comes in another length, is no half of two', async () => {
    await withFake(
      ({ method }) => (method === 'HEAD' ? head : { status: 412, body: errorOf('PreconditionFailed') }),
      async (session) => {
        const error = await failure(rowsOf(session));
        assert.deepEqual([error.kind, error.code], ['transient', 'FILE_CHANGED']);
      },
      { path: 'a.csv' },
    );
    await withFake(
      ({ method, url }) =>
        url.pathname.includes('.syncline')
          ? { status: 404, body: errorOf('NoSuchKey') }
          : method === 'HEAD'
            ? head
            : { status: 206, body: '' },
      async (session) => {
        const error = await failure(rowsOf(session));
        assert.deepEqual([error.kind, error.code], ['transient', 'ANSWER_BROKEN']);
      },
      { path: 'a.csv' },
    );
  });
});

describe('an upload that is completed', () => {
  /** A storage in memory that knows uploads, and completes them as told. */
  function storage(complete: (attempt: number, finish: () => void) => { status?: number; body?: string } | undefined) {
    const objects = new Map<string, { body: Buffer; mark?: string }>();
    const aborted: string[] = [];
    let attempts = 0;
    let mark = '';
    const answer: Rudeness = ({ method, url, headers, body }) => {
      const key = decodeURIComponent(url.pathname).replace('/shop/', '');
      if (url.searchParams.has('list-type')) {
        const prefix = url.searchParams.get('prefix') ?? '';
        return listOf([...objects.keys()].filter((one) => one.startsWith(prefix) && !one.slice(prefix.length).includes('/')));
      }
      if (url.searchParams.has('uploads')) {
        mark = String(headers['x-amz-meta-syncline']);
        return { body: '<InitiateMultipartUploadResult><UploadId>up</UploadId></InitiateMultipartUploadResult>' };
      }
      if (url.searchParams.has('uploadId')) {
        if (method === 'DELETE') return (aborted.push(key), { status: 204 });
        if (method === 'PUT') return (objects.set(`part of ${key}`, { body }), { headers: { etag: '"part"' } });
        return complete(++attempts, () => objects.set(key, { body: objects.get(`part of ${key}`)?.body ?? Buffer.alloc(0), mark }));
      }
      if (method === 'PUT') return (objects.set(key, { body }), {});
      if (method === 'DELETE') return (objects.delete(key), { status: 204 });
      const found = objects.get(key);
      if (!found) return { status: 404, body: method === 'HEAD' ? '' : errorOf('NoSuchKey') };
      const about = { etag: '"e"', ...(found.mark !== undefined && { 'x-amz-meta-syncline': found.mark }) };
      if (method === 'HEAD') return { headers: { ...about, 'content-length': String(found.body.length) } };
      return { status: headers.range === undefined ? 200 : 206, headers: about, body: found.body.toString() };
    };
    return { answer, objects, aborted, attempts: () => attempts };
  }

  const request = {
    stream: 'n',
    fields: [{ name: 'n', type: 'int64', nullable: false }],
    key: ['n'],
    mode: 'mirror',
    owner: 'one',
    token: 1n,
    create: true,
  } as const;
  const write = async (session: Session): Promise<void> => {
    const writer = await session.write(request);
    await writer.write(Batch.ofRows([['1']], { position: 'a' }));
    await writer.finish();
    await writer.close();
  };
  const done = '<CompleteMultipartUploadResult><ETag>x</ETag></CompleteMultipartUploadResult>';

  test('with 200 and an error in it is not done; a passing error is tried again', async () => {
    const busy = storage((attempt, finish) => (attempt < 3 ? { body: `  \n${errorOf('InternalError')}` } : (finish(), { body: done })));
    await withFake(busy.answer, async (session) => {
      await write(session);
      assert.equal(busy.objects.get('n.csv')?.body.toString(), 'n\n1\n');
      assert.equal(busy.attempts(), 3);
    });
    const refused = storage(() => ({ body: errorOf('InvalidPart') }));
    await withFake(refused.answer, async (session) => {
      const error = await failure(write(session));
      assert.equal(error.code, 'STORAGE_REFUSED');
      assert.equal(refused.objects.has('n.csv'), false);
    });
  });

  test('and whose answer gets lost is found out by what is there', async () => {
    for (const lost of [undefined, { body: done.slice(0, 20) }, { body: '' }]) {
      const known = storage((attempt, finish) => (attempt === 1 ? (finish(), lost) : { status: 404, body: errorOf('NoSuchUpload') }));
      await withFake(known.answer, async (session) => {
        await write(session);
        assert.equal(known.objects.get('n.csv')?.body.toString(), 'n\n1\n');
      });
    }
  });

  test('but is gone is made again by the next attempt, from the rows that were kept', async () => {
    const gone = storage((attempt, finish) =>
      attempt === 1 ? { status: 404, body: errorOf('NoSuchUpload') } : (finish(), { body: done }),
    );
    await withFake(gone.answer, async (session) => {
      assert.equal((await failure(write(session))).code, 'STAGE_LOST');
      const again = await session.write({ ...request, token: 2n });
      assert.equal(again.checkpoint, 'a');
      await again.finish();
      await again.close();
      assert.equal(gone.objects.get('n.csv')?.body.toString(), 'n\n1\n');
    });
  });

  test('is given up when the work fails before', async () => {
    const kept = storage(() => ({ body: done }));
    const answer: Rudeness = (asked, response) =>
      asked.method === 'PUT' && asked.url.searchParams.has('partNumber')
        ? { status: 400, body: errorOf('BadDigest') }
        : kept.answer(asked, response);
    await withFake(answer, async (session) => {
      await failure(write(session));
      assert.deepEqual(kept.aborted, ['n.csv']);
      assert.deepEqual(
        [...kept.objects.keys()].filter((key) => key.endsWith('.tmp')),
        [],
      );
    });
  });
});
