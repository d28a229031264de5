import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkerOf } from './check.ts';
import { demandEnforced, demandKnownKeywords } from './enforced.ts';
import { anyMember, oneMember } from './member-choice.ts';
import { type TSchema, Type } from './schema.ts';

/** A schema with a keyword that TypeScript would not let us write. */
const odd = (schema: object): TSchema => schema;

describe('a schema says nothing that is not checked', () => {
  const lies: [keyword: string, TSchema][] = [
    ['multipleOf', Type.Integer({ multipleOf: 5 })],
    ['exclusiveMinimum', Type.Number({ exclusiveMinimum: 0 })],
    ['enum', odd({ type: 'integer', enum: [1, 2] })],
    ['enum', odd({ enum: ['a'] })],
    ['format', Type.String({ format: 'date-time' })],
    ['const', Type.String({ const: 'a' })],
    ['minLength', Type.Array(Type.String(), { minLength: 1 })],
    ['minLength', Type.Unsafe({ anyOf: [Type.String(), { type: 'null' }], minLength: 1 })],
    ['type', odd({ type: ['string', 'null'] })],
    ['type', odd({ type: 'null' })],
    ['oneOf', odd({ oneOf: [Type.Object({ type: Type.Literal('a') })] })],
    ['oneOf', Type.OneOf([Type.Object({ name: Type.String() })])],
    ['minProperties', Type.Object({}, { minProperties: 1 })],
    ['additionalProperties', odd({ type: 'object', additionalProperties: Type.String() })],
    ['required', odd({ type: 'object', properties: {}, required: ['a'] })],
    ['anyOf', Type.Object({ a: Type.String() }, { anyOf: [{ required: ['b'] }] })],
    ['anyOf', Type.Object({ a: Type.String() }, { anyOf: [{ required: ['a'], minProperties: 1 } as TSchema] })],
    ['oneOf', Type.Object({ a: Type.String(), b: Type.String() }, { oneOf: [{ required: ['a', 'b'] }] })],
    ['uniqueItems', Type.Array(Type.Object({}), { uniqueItems: true })],
    ['uniqueItems', odd({ type: 'array', uniqueItems: true })],
    ['pattren', Type.String({ pattren: '^a$' })],
  ];
  for (const [keyword, schema] of lies) {
    test(`${keyword} in ${JSON.stringify(schema)}`, () => {
      assert.throws(() => checkerOf(schema, 'POST /things, body'), {
        message: `POST /things, body: the schema says "${keyword}", which is documented but not checked. Teach lib/check.ts to check it, or leave it out.`,
      });
    });
  }

  test('wherever it stands, its place is told', () => {
    const bad = Type.Number({ multipleOf: 5 });
    const places: [path: string, TSchema][] = [
      ['items[].price', Type.Object({ items: Type.Array(Type.Object({ price: bad })) })],
      ['maybe.anyOf[0]', Type.Object({ maybe: Type.Unsafe({ anyOf: [bad, { type: 'null' }] }) })],
      ['when.oneOf[1].every', Type.Object({ when: Type.OneOf([kind('a', Type.String()), kind('b', bad)]) })],
      ['oneOf[0].every', Type.OneOf([kind('a', bad)])],
      ['[]', Type.Array(bad)],
    ];
    for (const [path, schema] of places)
      assert.throws(() => checkerOf(schema, 'GET /x, query'), {
        message: new RegExp(`^GET /x, query: the schema of ${escaped(path)} says "multipleOf"`),
      });
  });

  test('words about a value are free, and so is what is checked', () => {
    const about = {
      title: 'T',
      description: 'd',
      examples: [1],
      default: 1,
      deprecated: true,
      readOnly: true,
      writeOnly: true,
      'x-exact': true,
    };
    const schema = Type.Object(
      {
        text: Type.String({ ...about, minLength: 1, maxLength: 2, pattern: '^a', enum: ['a'] }),
        count: Type.Integer({ ...about, minimum: 1, maximum: 2 }),
        list: Type.Array(Type.String(), { ...about, minItems: 1, maxItems: 2, uniqueItems: true }),
        secret: Type.String({ format: 'password' }),
        anything: Type.Unknown(about),
        maybe: Type.Unsafe({ anyOf: [Type.Boolean(), { type: 'null' }], ...about }),
        kinds: Type.OneOf([kind('a', Type.String())], about),
        some: Type.Object({ a: Type.String(), b: Type.String() }, anyMember('a', 'b')),
        either: Type.Object({ a: Type.String(), b: Type.String() }, oneMember('a', 'b')),
      },
      { ...about, additionalProperties: false },
    );
    demandEnforced(schema, 'here');
    demandKnownKeywords(schema, 'here');
  });

  test('an answer may name a format, and no keyword that nobody knows', () => {
    demandKnownKeywords(Type.String({ format: 'date-time' }), 'here');
    assert.throws(
      () => demandKnownKeywords(Type.Array(Type.String({ pattren: '^a$' })), 'here'),
      /here: the schema of \[\] says "pattren"/,
    );
  });
});

function kind(type: string, every: TSchema): TSchema {
  return Type.Object({ type: Type.Literal(type), every });
}

function escaped(text: string): string {
  return text.replaceAll(/[.[\]]/g, '\\$&');
}
