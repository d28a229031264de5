import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OutsideError } from '../../../outside/errors.ts';
import { readManifest } from './manifest.ts';
import { checkSettings, normalizedSettings } from './settings-rules.ts';
import { dynamicValues, expandDynamic, streamsUnder } from './streams.ts';

const DYNAMIC = `
streams:
  - type: ConditionalStreams
    condition: "{{ config.beta }}"
    streams: [{type: DeclarativeStream, name: new}]
  - {type: DeclarativeStream, name: always}
dynamic_streams:
  - type: DynamicDeclarativeStream
    stream_template:
      type: DeclarativeStream
      name: ""
      primary_key: []
      retriever: {requester: {url_base: https://api.example.com, path: "", http_method: GET}}
    components_resolver:
      type: ConfigComponentsResolver
      stream_config:
        - {configs_pointer: [tables], default_values: [{id: late}]}
        - {configs_pointer: [regions]}
      components_mapping:
        - {field_path: [name], value: "{{ components_values.id }}_{{ components_values.source_config_1[1] }}"}
        - {field_path: [retriever, requester, path], value: "/t/{{ components_values.id }}"}
        - {field_path: [retriever, "*", http_method], value: POST}
        - {field_path: [primary_key], value: "[id, key]"}
        - {field_path: [extra, deep], value: "{a: 1}", create_or_update: true, condition: "{{ components_values.id == 'a' }}"}
  - type: DynamicDeclarativeStream
    name: by hand
    stream_template: {type: DeclarativeStream, name: x}
    components_resolver:
      type: ParametrizedComponentsResolver
      stream_parameters: {list_of_parameters_for_stream: [{n: one}, {n: two}]}
      components_mapping: [{field_path: [name], value: "{{ components_values.n }}"}]
  - type: DynamicDeclarativeStream
    stream_template: {type: DeclarativeStream, name: x}
    components_resolver:
      type: HttpComponentsResolver
      components_mapping: [{field_path: [name], value: "{{ components_values.n }}-{{ stream_slice.s }}"}]
`;

test('conditional streams are there where their condition holds', () => {
  const manifest = readManifest(DYNAMIC);
  const names = (settings: Record<string, unknown>): unknown[] => streamsUnder(manifest, settings).map(({ name }) => name);
  assert.deepEqual(names({ beta: true }), ['new', 'always']);
  assert.deepEqual(names({}), ['always']);
});

test('dynamic streams are made of settings, of lists in the manifest, and of what was read', () => {
  const settings = { tables: [{ id: 'a' }, { id: 'b' }], regions: ['eu'] };
  const [bySettings, byList, byReading] = readManifest(DYNAMIC).dynamicStreams;
  assert.ok(bySettings && byList && byReading);
  const seen = new Set<string>();
  const made = expandDynamic(bySettings, 0, settings, dynamicValues(bySettings, settings) ?? [], seen);
  assert.deepEqual(
    made.map(({ name, extra }) => [name, extra]),
    [
      ['a_eu', { deep: { a: 1 } }],
      ['b_eu', undefined],
      ['late_eu', undefined],
    ],
  );
  const first = made[0] as unknown as {
    retriever: { requester: Record<string, unknown> };
    primary_key: unknown;
    dynamic_stream_name: unknown;
  };
  assert.equal(first.retriever.requester.path, '/t/a');
  assert.equal(first.retriever.requester.http_method, 'POST');
  assert.deepEqual(first.primary_key, ['id', 'key']);
  assert.equal(first.dynamic_stream_name, 'dynamic_stream_0');
  assert.deepEqual(
    expandDynamic(byList, 1, settings, dynamicValues(byList, settings) ?? [], seen).map(({ name, dynamic_stream_name: of }) => [name, of]),
    [
      ['one', 'by hand'],
      ['two', 'by hand'],
    ],
  );
  assert.equal(dynamicValues(byReading, settings), undefined);
  assert.deepEqual(
    expandDynamic(byReading, 2, settings, [{ values: { n: 'r' }, slice: { s: 1 } }], seen).map(({ name }) => name),
    ['r-1'],
  );
});

test('two dynamic streams of one name are refused', () => {
  const settings = { tables: [{ id: 'a' }, { id: 'a' }], regions: ['eu'] };
  const [definition] = readManifest(DYNAMIC).dynamicStreams;
  assert.ok(definition);
  assert.throws(
    () => expandDynamic(definition, 0, settings, dynamicValues(definition, settings) ?? [], new Set()),
    (error) => error instanceof OutsideError && error.code === 'STREAM_NAME' && /"a_eu", as another is/.test(error.message),
  );
});

const RULES = `
streams: []
spec:
  connection_specification: {type: object}
  config_normalization_rules:
    type: ConfigNormalizationRules
    config_migrations:
      - type: ConfigMigration
        transformations:
          - {type: ConfigRemapField, field_path: [region], map: {EU: eu1}}
          - {type: ConfigRemoveFields, field_pointers: [[old], [nested, gone]]}
    transformations:
      - type: ConfigAddFields
        condition: "{{ config.region }}"
        fields: [{path: [made, url], value: "https://{{ config.region }}"}, {path: [number], value: "{{ config.n }}", value_type: string}]
    validations:
      - type: DpathValidator
        field_path: [n]
        validation_strategy: {type: ValidateAdheresToSchema, base_schema: {type: integer, maximum: 9}}
`;

test('settings follow the rules of the manifest, and what was given stays as it is', () => {
  const { spec } = readManifest(RULES);
  const settings = { region: 'EU', old: 1, nested: { gone: 1, kept: 2 }, n: 5 };
  const given = structuredClone(settings);
  assert.deepEqual(normalizedSettings(spec, settings), {
    region: 'eu1',
    nested: { kept: 2 },
    n: 5,
    made: { url: 'https://eu1' },
    number: '5',
  });
  assert.deepEqual(settings, given);
  assert.equal(normalizedSettings(undefined, settings), settings);
});

test('settings that break a rule are refused by name', () => {
  const { spec } = readManifest(RULES);
  checkSettings(spec, { n: 9 });
  checkSettings(spec, {});
  for (const [n, words] of [
    [10, /n must be at most 9/],
    ['x', /n must be of the type integer/],
  ] as const)
    assert.throws(
      () => checkSettings(spec, { n }),
      (error) => error instanceof OutsideError && error.field === 'settings' && words.test(error.message),
    );
});
