import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markedNames } from './marked-names.ts';

const by = { member: 'text', mark: 'is_secret', within: 'form' };
const names = (text: unknown): string[] | undefined => {
  const found = markedNames(text, by);
  return found && [...found];
};

const YAML = `
streams: []
spec:
  form:
    properties:
      start:
        type: string
      "api key":
        title: Key
        examples:
          - a: 1
        is_secret: true
      credentials:
        oneOf:
          - title: Token
            properties:
              token:
                is_secret: true   # a comment
                type: string
              open:
                is_secret: false
other:
  is_secret: true
`;

test('the names that are marked in a text, in YAML and in JSON', () => {
  assert.deepEqual(names(YAML), ['api key', 'token']);
  const json = {
    spec: {
      form: { properties: { key: { is_secret: true }, start: {}, all: { oneOf: [{ properties: { token: { is_secret: true } } }] } } },
    },
  };
  assert.deepEqual(names(JSON.stringify(json)), ['key', 'token']);
  assert.deepEqual(names('spec:\n  form:\n    properties: {}\n'), []);
});

test('where it cannot be told, everything is secret', () => {
  for (const text of [undefined, 'streams: []', '{"streams":[]}']) assert.equal(names(text), undefined);
  assert.equal(names('spec:\n  form:\n    properties:\n      key:\n        $ref: "#/secret"\n'), undefined);
  assert.equal(names('spec:\n  form:\n    properties:\n      key: {type: string, is_secret: true}\n'), undefined);
  assert.equal(names('spec:\n  form:\n    properties:\n      key: *anchor\n'), undefined);
  assert.equal(names('{"spec":{"form":{"properties":{"key":{"$ref":"is_secret"}}}}}'), undefined);
  assert.equal(names('{"is_secret": broken'), undefined);
});
