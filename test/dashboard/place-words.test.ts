import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ApiError, sentencesOf } from '../../dashboard/src/api/errors.ts';
import { faultsByField, incomplete } from '../../dashboard/src/parts/form/faults.ts';
import { placeWords } from '../../dashboard/src/parts/words/place-words.ts';
import { sentence, sentences } from '../../dashboard/src/parts/words/sentence.ts';
import { configPlace } from '../../dashboard/src/views/sources/config-form/config-place.ts';
import { missingMembers } from '../../dashboard/src/views/sources/config-form/missing.ts';
import type { ConfigSchema } from '../../dashboard/src/views/sources/config-form/schema.ts';
import { withoutSecrets } from '../../dashboard/src/views/sources/config-form/without-secrets.ts';
import { syncPlace } from '../../dashboard/src/views/syncs/builder/sync-place.ts';
import { manifests } from '../../src/connectors/registry.ts';

const schemaOf = (type: string): ConfigSchema => manifests.find((manifest) => manifest.type === type)?.config as ConfigSchema;

const STREAMS = [
  { source: 'public.people' },
  {
    source: 'public.orders',
    key: ['id'],
    fields: [{ from: 'id', to: 'id' }, { from: 'sum', to: 'total' }, { to: '' }],
    filter: [{ field: 'paid' }],
  },
];

describe('where something is wrong is said in words', () => {
  test('in a definition, by the names that are in it', () => {
    for (const [path, words] of [
      ['streams[1].fields[1].from', 'Stream public.orders, field total'],
      ['streams[1].fields[1].to', 'Stream public.orders, field total, name at the target'],
      ['streams[1].fields[2].expression', 'Stream public.orders, field 3, expression'],
      ['streams[1].fields[2]', 'Stream public.orders, field 3'],
      ['streams[1].fields', 'Stream public.orders, fields'],
      ['streams[1].filter[0].value', 'Stream public.orders, condition on paid, value'],
      ['streams[1].key', 'Stream public.orders, key'],
      ['streams[1].key[0]', 'Stream public.orders, key id'],
      ['streams[1].deletes', 'Stream public.orders, deleted rows'],
      ['streams[0].source', 'Stream public.people'],
      ['streams[0]', 'Stream public.people'],
      ['streams[7].source', 'Stream 8, source'],
      ['streams', 'Streams'],
      ['source_id', 'Source'],
      ['schedule.expression', 'Cron expression'],
      ['name', 'Name'],
      ['', 'The request'],
    ] as const)
      assert.equal(syncPlace(path, STREAMS), words, path);
  });

  test('in a configuration, by the titles of its form', () => {
    for (const [type, path, words] of [
      ['postgres', 'config.host', 'Host'],
      ['http', 'config.streams[1].path', 'Streams 2, Path'],
      ['http', 'config.auth.token', 'Authentication, Token'],
      ['http', 'config.streams[0].paging.size', 'Streams 1, Paging, Size'],
      ['http', 'config.nonsense[2]', 'Nonsense 3'],
      ['http', 'name', 'Name'],
    ] as const)
      assert.equal(configPlace(path, schemaOf(type)), words, path);
  });

  test('anywhere else, as well as a path can be read', () => {
    assert.equal(placeWords('items[2].unit_price'), 'Item 3, unit price');
    assert.equal(placeWords('shipping_address.zip'), 'Shipping address, zip');
  });

  test('and never as programs say it, whatever is at fault', () => {
    const name = fc.constantFrom('streams', 'fields', 'filter', 'key', 'from', 'config', 'auth', 'items', 'unit_price');
    const part = fc.oneof(
      name,
      fc.tuple(name, fc.nat(20)).map(([list, place]) => `${list}[${place}]`),
    );
    const path = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('.'));
    fc.assert(
      fc.property(fc.array(path, { minLength: 1, maxLength: 5 }), (paths) => {
        const faults = paths.map((field) => ({ field, reason: 'is mandatory' }));
        const error = new ApiError(400, 'INVALID_PARAMS', `Invalid request: ${paths[0]} is mandatory.`, faults);
        for (const place of [undefined, (at: string) => syncPlace(at, STREAMS), (at: string) => configPlace(at, schemaOf('http'))])
          assert.doesNotMatch(sentencesOf(error, place).join(' '), /\[\d|\w\.\w+\b(?<!public\.\w+)/);
        assert.doesNotMatch(error.message, /\[|_/);
      }),
    );
  });
});

describe('what is said of faults', () => {
  test('ends once, also when it had an end', () => {
    assert.equal(sentence('23 tables and views.'), '23 tables and views.');
    assert.equal(sentences('It works', null, 'Look at it.', undefined, ''), 'It works. Look at it.');
    const error = new ApiError(400, 'INVALID_PARAMS', '', [
      { field: 'name', reason: 'is taken. Did you mean "b"?' },
      { field: 'price', reason: 'is mandatory.' },
    ]);
    assert.deepEqual(sentencesOf(error), ['Name: is taken. Did you mean "b"?', 'Price: is mandatory.']);
    assert.deepEqual(faultsByField(error).get('price'), 'Is mandatory.');
  });

  test('what was refused otherwise is said as the service says it', () => {
    assert.equal(new ApiError(409, 'CONFLICT', 'It runs already.').message, 'It runs already.');
  });

  test('beside what happened, the fields say what is not said yet', () => {
    const short = new ApiError(409, 'OUT_OF_STOCK', 'Of mug at default, 6 can be taken away, not 7.', [
      { field: 'delta', reason: '6 are available' },
    ]);
    assert.equal(short.message, 'Of mug at default, 6 can be taken away, not 7.');
    assert.deepEqual(
      sentencesOf(short, () => 'Units'),
      ['Of mug at default, 6 can be taken away, not 7.', 'Units: 6 are available.'],
    );
    const late = new ApiError(409, 'VERSION_CONFLICT', 'The order is at version 3 by now. Read it again.', [
      { field: 'expected_version', reason: 'the order is at version 3' },
    ]);
    assert.deepEqual(sentencesOf(late), ['The order is at version 3 by now. Read it again.']);
  });
});

describe('an empty form', () => {
  test('lacks everything that is mandatory, at once', () => {
    assert.deepEqual(missingMembers(schemaOf('postgres'), {}), ['config.host', 'config.database', 'config.user']);
    const http = { base_url: '', auth: { type: 'bearer' }, streams: [{ name: 'a' }, {}] };
    assert.deepEqual(missingMembers(schemaOf('http'), http), ['config.base_url', 'config.auth.token', 'config.streams[1].name']);
    assert.deepEqual(missingMembers(schemaOf('hub'), {}), []);
    assert.equal(incomplete([]), null);
    assert.equal(incomplete(['name', 'scopes'])?.message, 'Name: is mandatory. Scopes: is mandatory.');
  });
});

test('what is kept of a form holds no secret, and what is stored stays stored', () => {
  const stored = { base_url: 'https://a', auth: { type: 'bearer', token: '********' } };
  const entered = {
    base_url: 'https://b',
    auth: { type: 'bearer', token: 'top-secret' },
  };
  const kept = withoutSecrets(schemaOf('http'), entered, stored);
  assert.doesNotMatch(JSON.stringify(kept), /secret/);
  assert.deepEqual(kept['auth'], { type: 'bearer', token: '********' });
  assert.deepEqual(withoutSecrets(schemaOf('http'), { auth: { type: 'bearer', token: 'new' } }, {}), { auth: { type: 'bearer' } });
  // A secret that is to be removed is not put back.
  assert.deepEqual(withoutSecrets(schemaOf('postgres'), { host: 'h' }, { host: 'h', password: '********' }), { host: 'h' });
});
