import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reachOf } from '../reach.ts';
import { explainWith, megabytes } from './words.ts';

const explain = explainWith({
  who: 'The shop',
  address: 'shop_url',
  addressInWords: 'the address of the shop',
  authority: 'shop_ca',
  slowHint: 'Be patient.',
  large: { field: 'most', hint: 'Ask for less.' },
});
const url = new URL('https://shop.test/things?key=secret');
const failed = (code: string, isReused = false, message = '') =>
  explain({ what: 'failed', error: Object.assign(new Error(message), { code }), isReused }, url);

test('what the network says is told by how one recovers, and names the settings of who asked', () => {
  const cases: [string, string, string, string | undefined][] = [
    ['ENOTFOUND', 'config', 'HOST_UNKNOWN', 'shop_url'],
    ['EAI_AGAIN', 'transient', 'DNS_FAILED', 'shop_url'],
    ['ECONNREFUSED', 'transient', 'PORT_CLOSED', 'shop_url'],
    ['ETIMEDOUT', 'transient', 'TIMEOUT', 'shop_url'],
    ['ECONNRESET', 'transient', 'CONNECTION_LOST', 'shop_url'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'config', 'TLS_REFUSED', 'shop_ca'],
    ['CERT_HAS_EXPIRED', 'config', 'TLS_REFUSED', 'shop_url'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'config', 'TLS_REFUSED', 'shop_url'],
    ['CERT_REVOKED', 'config', 'TLS_REFUSED', 'shop_url'],
    ['EPROTO', 'config', 'TLS_FAILED', 'shop_url'],
    ['HPE_HEADER_OVERFLOW', 'config', 'NOT_HTTP', 'shop_url'],
    ['HPE_INVALID_CONSTANT', 'config', 'NOT_HTTP', 'shop_url'],
    ['EWHATEVER', 'transient', 'REQUEST_FAILED', undefined],
  ];
  for (const [told, kind, code, field] of cases) {
    const error = failed(told);
    assert.deepEqual([error.kind, error.code, error.field], [kind, code, field], told);
    assert.doesNotMatch(`${error.message} ${error.hint}`, /secret/);
  }
  assert.match(failed('SELF_SIGNED_CERT_IN_CHAIN').hint ?? '', /`shop_ca`/);
  assert.match(failed('EPROTO', false, 'wrong version number').message, /may speak plain HTTP/);
});

test('a kept connection that was closed meanwhile has a code of its own: nothing is wrong with the other side', () => {
  assert.equal(failed('ECONNRESET', true).code, 'CONNECTION_STALE');
  assert.equal(failed('ECONNREFUSED', true).code, 'PORT_CLOSED');
});

test('an address that is out of reach is told of the setting that led there', () => {
  try {
    reachOf('public').demand('10.0.0.1');
    assert.fail('it is out of reach');
  } catch (error) {
    const { code, field, hint } = explain({ what: 'failed', error, isReused: false }, url);
    assert.deepEqual([code, field], ['ADDRESS_REFUSED', 'shop_url']);
    assert.match(hint ?? '', /SYNCLINE_NETWORKS/);
  }
});

test('an answer that breaks off, cannot be unpacked, is slow, large or something else', () => {
  const broken = (code: string) => explain({ what: 'broken', error: Object.assign(new Error(''), { code }) }, url);
  assert.deepEqual([broken('ERR_STREAM_PREMATURE_CLOSE').code, broken('ECONNRESET').code], ['CONNECTION_LOST', 'CONNECTION_LOST']);
  for (const code of ['Z_DATA_ERROR', 'ERR_BROTLI_DECODER_ERROR', 'ZSTD_error_prefix_unknown', 'ERR__ERROR_FORMAT_PADDING_1'])
    assert.equal(broken(code).code, 'ANSWER_BROKEN', code);
  const slow = [
    explain({ what: 'mute', milliseconds: 1500 }, url),
    explain({ what: 'silent' }, url),
    explain({ what: 'dripping' }, url),
    explain({ what: 'endless', milliseconds: 2000 }, url),
  ];
  assert.deepEqual(
    slow.map(({ kind, code, hint, message }) => [kind, code, hint, message]),
    [
      'did not answer within 1.5 s',
      'went silent in the middle of an answer',
      'sends its answer drop by drop',
      'needs more than 2 s for one answer',
    ].map((words) => ['transient', 'TIMEOUT', 'Be patient.', `The shop ${words}.`]),
  );
  const large = explain({ what: 'large', bytes: 2_500_000 }, url);
  assert.deepEqual(
    [large.kind, large.code, large.field, large.hint, large.message],
    ['config', 'RESPONSE_TOO_LARGE', 'most', 'Ask for less.', 'The shop sent an answer of more than 2.5 MB.'],
  );
  assert.equal(explain({ what: 'packed' }, url).code, 'ENCODING_UNKNOWN');
  assert.deepEqual(
    [explain({ what: 'other protocol' }, url).code, explain({ what: 'other protocol' }, url).hint],
    ['NOT_HTTP', 'Check the address of the shop: this one may be made for WebSockets.'],
  );
});

test('megabytes are told to the kilobyte', () => {
  assert.deepEqual([1_000_000, 1_234_567, 40_000_000].map(megabytes), ['1', '1.235', '40']);
});
