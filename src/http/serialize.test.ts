import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type TSchema, Type } from '../lib/schema.ts';
import { Decimal, JsonText, ListOf, Nullable, OneOf, Strict, Success } from './schemas.ts';
import { serializerOf } from './serialize.ts';

interface Sample {
  schema: TSchema;
  /** As the program holds it, with more than the schema names. */
  held: unknown;
  /** As it must go out. */
  sent: unknown;
}

const text = fc.string({ unit: 'binary' });
const leaf: fc.Arbitrary<Sample> = fc.oneof(
  text.map((value) => ({ schema: Type.String(), held: value, sent: value })),
  fc.integer().map((value) => ({ schema: Type.Integer(), held: value, sent: value })),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => ({ schema: Type.Number(), held: value, sent: value })),
  fc.boolean().map((value) => ({ schema: Type.Boolean(), held: value, sent: value })),
  fc.constant({ schema: Type.Literal(true), held: true, sent: true }),
  fc.constant({ schema: OneOf(['a', 'b']), held: 'a', sent: 'a' }),
  fc.jsonValue({ maxDepth: 2 }).map((value) => ({ schema: Type.Unknown(), held: value, sent: value })),
  fc
    .bigInt({ min: 10n ** 17n, max: 10n ** 20n })
    .map((value) => ({ schema: Decimal(), held: `${value}.25`, sent: JSON.rawJSON(`${value}.25`) })),
  fc.jsonValue({ maxDepth: 2 }).map((value) => ({ schema: JsonText(Type.Unknown()), held: JSON.stringify(value), sent: value })),
);

const { sample } = fc.letrec<{ sample: Sample }>((tie) => ({
  sample: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    leaf,
    tie('sample').map(({ schema, held, sent }) => ({ schema: Nullable(schema), held, sent })),
    tie('sample').map(({ schema }) => ({ schema: Nullable(schema), held: null, sent: null })),
    fc.tuple(tie('sample'), fc.nat(3)).map(([{ schema, held, sent }, length]) => ({
      schema: Type.Array(schema),
      held: Array.from({ length }, () => held),
      sent: Array.from({ length }, () => sent),
    })),
    fc
      .tuple(fc.uniqueArray(fc.string({ minLength: 1, maxLength: 3 })), fc.infiniteStream(tie('sample')), fc.boolean())
      .map(([names, samples, more]) =>
        objectOf(
          names.filter((name) => name !== '__proto__').map((name) => [name, samples.next().value as Sample]),
          more,
        ),
      ),
  ),
}));

function objectOf(members: [name: string, sample: Sample][], more: boolean): Sample {
  const schema = Strict(Object.fromEntries(members.map(([name, { schema: of }]) => [name, of])));
  const held = Object.fromEntries(members.toReversed().map(([name, member]) => [name, member.held]));
  const extra = more ? { 'a secret': 'that the schema does not name' } : {};
  return { schema, held: { ...extra, ...held }, sent: Object.fromEntries(members.map(([name, member]) => [name, member.sent])) };
}

describe('serializerOf', () => {
  test('writes what the schema names, as JSON.stringify would, and nothing else', () => {
    fc.assert(
      fc.property(sample, ({ schema, held, sent }) => {
        assert.equal(serializerOf(schema)(held), JSON.stringify(sent));
      }),
      { numRuns: 5000 },
    );
  });

  test('lets no field out that the schema does not name, however deep', () => {
    const key = Strict({ id: Type.String() });
    const serialize = serializerOf(ListOf(Strict({ key, keys: Type.Array(key), maybe: Nullable(key) })));
    const row = { id: 'k', hash: 'secret' };
    const text = serialize({
      success: true,
      data: [{ key: row, keys: [row], maybe: row, hash: 'secret' }],
      total: 1,
      next_cursor: null,
      hash: 'secret',
    });
    assert.equal(text, '{"success":true,"data":[{"key":{"id":"k"},"keys":[{"id":"k"}],"maybe":{"id":"k"}}],"total":1,"next_cursor":null}');
  });

  test('leaves out what is undefined, and keeps null, false, 0 and the empty text', () => {
    const serialize = serializerOf(
      Strict({ a: Type.Optional(Type.String()), b: Nullable(Type.Integer()), c: Type.Boolean(), d: Type.Integer(), e: Type.String() }),
    );
    assert.equal(serialize({ a: undefined, b: null, c: false, d: 0, e: '' }), '{"b":null,"c":false,"d":0,"e":""}');
    assert.equal(serializerOf(Strict({ a: Type.Optional(Type.String()) }))({}), '{}');
  });

  test('sends exact decimals and ready-made JSON as they are', () => {
    const serialize = serializerOf(Success(Strict({ total: Decimal(), metadata: JsonText(Type.Object({})), note: Nullable(Decimal()) })));
    const data = { total: '49999999999950000.0001', metadata: '{"n":12345678901234567890}', note: '0.3' };
    assert.equal(
      serialize({ success: true, data }),
      '{"success":true,"data":{"total":49999999999950000.0001,"metadata":{"n":12345678901234567890},"note":0.3}}',
    );
  });
});
