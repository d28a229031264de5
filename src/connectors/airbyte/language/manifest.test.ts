import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OutsideError } from '../../../outside/errors.ts';
import { customClassesOf } from './custom-classes.ts';
import { readManifest } from './manifest.ts';
import { warningsOf } from './warnings.ts';

const SHOP = `
version: 4.6.2
check: {stream_names: [orders]}
definitions:
  base/url: https://api.example.com
  retriever:
    requester:
      url_base: "#/definitions/base/url"
      path: "{{ parameters.path }}"
    record_selector:
      extractor: {field_path: [data]}
streams:
  - $parameters: {name: orders, path: /orders}
    primary_key: id
    retriever:
      $ref: "#/definitions/retriever"
      paginator:
        pagination_strategy: {type: PageIncrement}
    schema_loader: {type: InlineSchemaLoader, schema: {type: object, properties: {type: {type: string}}}}
  - name: custom
    $parameters: {path: /custom}
    retriever:
      $ref: "#/definitions/retriever"
      record_selector:
        extractor: {class_name: shop.extractors.Special}
    transformations:
      - {type: CustomTransformation, class_name: shop.Other}
`;

const refused = (text: string, words: RegExp, hint = /./): void => {
  assert.throws(
    () => readManifest(text),
    (error) =>
      error instanceof OutsideError &&
      error.kind === 'config' &&
      error.field === 'manifest' &&
      words.test(error.message) &&
      hint.test(error.hint ?? ''),
    text.slice(0, 100),
  );
};

test('references are replaced, parameters handed down, and types are what their place asks for', () => {
  const { version, check, streams } = readManifest(SHOP);
  assert.equal(version, '4.6.2');
  assert.equal(check?.type, 'CheckStream');
  const parameters = { name: 'orders', path: '/orders' };
  assert.deepEqual(streams[0], {
    type: 'DeclarativeStream',
    ...parameters,
    primary_key: 'id',
    retriever: {
      type: 'SimpleRetriever',
      ...parameters,
      requester: {
        type: 'HttpRequester',
        url_base: 'https://api.example.com',
        name: 'orders',
        path: '{{ parameters.path }}',
        $parameters: parameters,
      },
      record_selector: {
        type: 'RecordSelector',
        ...parameters,
        extractor: { type: 'DpathExtractor', field_path: ['data'], ...parameters, $parameters: parameters },
        $parameters: parameters,
      },
      paginator: {
        type: 'NoPagination',
        ...parameters,
        pagination_strategy: { type: 'PageIncrement', ...parameters, $parameters: parameters },
        $parameters: parameters,
      },
      $parameters: parameters,
    },
    schema_loader: {
      type: 'InlineSchemaLoader',
      ...parameters,
      schema: { type: 'object', properties: { type: { type: 'string' } } },
      $parameters: parameters,
    },
    $parameters: parameters,
  });
});

test('what needs code of its own is named, stream by stream', () => {
  const { streams } = readManifest(SHOP);
  assert.deepEqual(streams.map(customClassesOf), [[], ['shop.extractors.Special', 'shop.Other']]);
});

test('older forms are read: $options and *ref()', () => {
  const { streams } = readManifest(
    'streams:\n  - $ref: "*ref(definitions.stream)"\n    $options: {name: old}\ndefinitions:\n  stream: {type: DeclarativeStream, primary_key: id}\n',
  );
  assert.deepEqual(streams[0], { type: 'DeclarativeStream', primary_key: 'id', name: 'old', $parameters: { name: 'old' } });
});

test('what cannot be resolved is refused with its place', () => {
  refused(
    'streams:\n  - $ref: "#/definitions/ordres"\ndefinitions: {orders: {}}\n',
    /#\/definitions\/ordres at \/streams\/0\/\$ref names "ordres"/,
    /orders/,
  );
  refused(
    'streams: []\ndefinitions:\n  a: {x: "#/definitions/b"}\n  b: "#/definitions/a"\n',
    /circle: #\/definitions\/b → #\/definitions\/a → #\/definitions\/b/,
  );
  refused('streams:\n  - {type: DeclarativeStraem, name: a}\n', /"DeclarativeStraem" at streams\/0, in line 2/, /DeclarativeStream/);
  refused('streams: x\n', /"streams" is no list/);
  refused('- a\n', /no map/);
  refused('just a text', /no map/);
});

test('a manifest that multiplies itself is refused', () => {
  const chain = Array.from({ length: 60 }, (_, i) => `  a${i + 1}: {a: "#/definitions/a${i}", b: "#/definitions/a${i}"}\n`).join('');
  refused(`streams: []\ndefinitions:\n  a0: {x: 1}\n${chain}`, /more than \d+ values/);
  const members = Array.from({ length: 12 }, (_, i) => `m${i}: {type: DeclarativeStream}`).join(', ');
  refused(`streams:\n  - {type: DeclarativeStream, $parameters: {${members}}}\n`, /more than \d+ values/);
});

test('members without effect and templates that cannot be used are told', () => {
  const manifest = readManifest('streams:\n  - {type: DeclarativeStream, name: "{{ 1 + }}", primery_key: id}\n');
  assert.deepEqual(
    warningsOf(manifest).map((warning) => warning.replace(/"\{\{.*?\}\}"/, 'T')),
    [
      'streams/0 has a member "primery_key", which a DeclarativeStream does not have: did you mean "primary_key"?',
      'The template T cannot be used: it ends too early.',
    ],
  );
});
