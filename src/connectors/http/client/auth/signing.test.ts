import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import { type Received, sendJson } from '../../../../../test/support/api-server.ts';
import { failureOf, openHttp, readAll, writeRows } from '../../../../../test/support/http-connector.ts';
import { rowsOf, UPSERT, useApis } from '../../../../../test/support/served-apis.ts';
import { validate } from '../../config/validate.ts';
import { signAws } from './aws.ts';

const { serve } = useApis();

describe('AWS signature version 4', () => {
  // The keys, the moment and the signatures are those of AWS' own test suite.
  const auth = {
    type: 'aws_sigv4',
    access_key_id: 'AKIDEXAMPLE',
    secret_access_key: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
    region: 'us-east-1',
    service: 'service',
  } as const;
  const moment = new Date('2015-08-30T12:36:00Z');
  const known: [name: string, method: string, path: string, signature: string][] = [
    ['get-vanilla', 'GET', '/', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    [
      'get-vanilla-query-order-key-case',
      'GET',
      '/?Param2=value2&Param1=value1',
      'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
    ],
    ['post-vanilla', 'POST', '/', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
  ];
  for (const [name, method, path, signature] of known)
    test(name, () => {
      const headers: Record<string, string> = {};
      signAws({ method, url: new URL(`https://example.amazonaws.com${path}`), headers, body: undefined }, auth, moment);
      assert.equal(headers['x-amz-date'], '20150830T123600Z');
      assert.equal(
        headers['authorization'],
        `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=${signature}`,
      );
    });

  test('what is sent is what was signed, odd characters and a session token included', async () => {
    const seen: Received[] = [];
    const api = await serve((received, response) => {
      seen.push(received);
      return sendJson(response, [{ id: 1 }]);
    });
    const streams = [{ name: 's', path: '/a b~(x)', params: [{ name: 'q', value: "a+b c*'é/" }], fields: [{ name: 'id', type: 'int64' }] }];
    const session = await openHttp({
      base_url: api.url,
      auth: { ...auth, session_token: 'tok' },
      streams: [{ ...streams[0], path: '/a%20b~(x)' }],
    });
    await readAll(session, { stream: 's', fields: ['id'] });
    const [got] = seen;
    assert.ok(got);
    const headers: Record<string, string> = { 'x-amz-security-token': 'tok' };
    const at = String(got.headers['x-amz-date']).replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5');
    const url = new URL(`${got.url.pathname}${got.url.search}`, api.url);
    signAws({ method: 'GET', url, headers, body: undefined }, { ...auth, session_token: 'tok' }, new Date(at));
    assert.equal(got.headers['x-amz-security-token'], 'tok');
    assert.equal(got.headers.authorization, headers['authorization']);
    assert.match(got.url.search, /^\?q=a%2Bb%20c%2A%27%C3%A9%2F$/);
  });

  test('a wrong secret is an error of rights', async () => {
    const api = await serve((_, response) =>
      sendJson(response, { message: 'The request signature we calculated does not match the signature you provided.' }, 403),
    );
    const streams = [{ name: 's', path: '/s' }];
    const failure = await failureOf(readAll(await openHttp({ base_url: api.url, auth, streams }), { stream: 's', fields: ['id'] }));
    assert.deepEqual([failure.kind, failure.code], ['auth', 'FORBIDDEN']);
    assert.match(failure.message, /does not match/);
  });
});

describe('HMAC', () => {
  const auth = {
    type: 'hmac',
    key_id: 'me',
    secret: '00ff10',
    secret_format: 'hex',
    algorithm: 'sha512',
    message: '{timestamp}\\n{method}\\n{path_and_query}\\n{body_hash}\\n{nonce}',
    encoding: 'base64',
    timestamp: 'millis',
    headers: [
      { name: 'X-Key', value: '{key_id}' },
      { name: 'X-Time', value: '{timestamp}' },
      { name: 'X-Nonce', value: '{nonce}' },
      { name: 'Authorization', value: 'HMAC {signature}' },
    ],
  };

  test('the other side comes to the same signature, reading and writing, and each is another', async () => {
    const signatures = new Set<string>();
    const api = await serve(({ method, url, headers, body }, response) => {
      const hash = createHash('sha512').update(body).digest('base64');
      const message = [headers['x-time'], method, url.pathname + url.search, hash, headers['x-nonce']].join('\n');
      const expected = createHmac('sha512', Buffer.from('00ff10', 'hex')).update(message).digest('base64');
      if (headers.authorization !== `HMAC ${expected}` || headers['x-key'] !== 'me')
        return sendJson(response, { message: 'bad signature' }, 401);
      signatures.add(expected);
      return sendJson(response, method === 'GET' ? [{ id: 1 }] : {});
    });
    const streams = [{ name: 's', path: '/s', params: [{ name: 'a', value: 'b c' }], write: { path: '/s', modes: ['upsert'] } }];
    const session = await openHttp({ base_url: api.url, auth, streams });
    assert.equal((await readAll(session, { stream: 's', fields: ['id'] })).rows.length, 1);
    assert.equal((await writeRows(session, UPSERT, rowsOf(2))).updated, 2);
    assert.equal(signatures.size, api.received.length);
    const wrong = await openHttp({ base_url: api.url, auth: { ...auth, secret: '0011' }, streams });
    const failure = await failureOf(readAll(wrong, { stream: 's', fields: ['id'] }));
    assert.deepEqual([failure.kind, failure.code], ['auth', 'UNAUTHORIZED']);
    assert.equal(api.received.filter(({ headers }) => headers.authorization?.startsWith('HMAC')).length, api.received.length);
  });

  test('what cannot be signed is named at saving', () => {
    const faults = (change: object) =>
      validate({ base_url: 'http://a', auth: { ...auth, ...change }, streams: [{ name: 's', path: '/s' }] } as never).map(
        ({ field }) => field,
      );
    assert.deepEqual(faults({}), []);
    assert.deepEqual(faults({ message: '{boddy}' }), ['auth.message']);
    assert.deepEqual(faults({ secret: 'xyz' }), ['auth.secret']);
    assert.deepEqual(faults({ headers: [{ name: 'X Y', value: '{key_id}' }] }), ['auth.headers[0].name', 'auth.headers']);
    assert.deepEqual(faults({ headers: [{ name: 'X', value: '{signature}{body}' }] }), ['auth.headers[0].value']);
  });
});
