import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { faultsOf } from '../../test/support/json-schema.ts';
import { checkerOf, printable } from './check.ts';
import { anyMember, oneMember } from './member-choice.ts';
import { type TSchema, Type } from './schema.ts';

/** Schemas of every kind that the interface uses, nested. */
const { schema: anySchema } = fc.letrec<{ schema: TSchema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.constant(Type.Boolean()),
    fc.constant(Type.Unknown()),
    bounds(0, 4).map(([minLength, maxLength]) => Type.String({ minLength, maxLength })),
    fc.constant(Type.String()),
    fc.constantFrom('^a', '^[A-Z]{3}$', '^\\d{1,15}$', '^.$').map((pattern) => Type.String({ pattern })),
    fc.constant(Type.String({ enum: ['new', 'old', ''] })),
    tie('schema').map((schema) => Type.Unsafe<unknown>({ anyOf: [schema, { type: 'null' }] })),
    bounds(-2, 2).map(([minimum, maximum]) => Type.Integer({ minimum, maximum })),
    bounds(-2, 2).map(([minimum, maximum]) => Type.Number({ minimum, maximum })),
    fc.tuple(tie('schema'), bounds(0, 3)).map(([items, [minItems, maxItems]]) => Type.Array(items, { minItems, maxItems })),
    fc
      .tuple(fc.constantFrom<TSchema>(Type.String(), Type.Integer(), Type.Number(), Type.Boolean()), bounds(0, 3))
      .map(([items, [minItems, maxItems]]) => Type.Array(items, { minItems, maxItems, uniqueItems: true })),
    fc
      .tuple(fc.dictionary(names(), fc.tuple(tie('schema'), fc.boolean()), { maxKeys: 3, noNullPrototype: true }), fc.boolean())
      .map(([members, additionalProperties]) => objectOf(members, additionalProperties)),
  ),
}));

function objectOf(members: Record<string, [TSchema, boolean]>, additionalProperties: boolean): TSchema {
  const properties = Object.entries(members).map(([name, [schema, optional]]) => [name, optional ? Type.Optional(schema) : schema]);
  return Type.Object(Object.fromEntries(properties), { additionalProperties });
}

function bounds(min: number, max: number): fc.Arbitrary<[number, number]> {
  return fc.tuple(fc.integer({ min, max }), fc.integer({ min, max })).map(([a, b]) => (a < b ? [a, b] : [b, a]));
}

function names(): fc.Arbitrary<string> {
  return fc.constantFrom('a', 'b', 'constructor', 'toString', 'a.b');
}

/** Values that nearly fit anything. */
const anyValue = fc.oneof(
  fc.constantFrom(
    null,
    true,
    false,
    '',
    'a',
    'ABC',
    'new',
    '😀',
    '😀😀',
    'ab',
    '12',
    0,
    -0,
    1,
    2,
    3,
    1.5,
    -2,
    1e300,
    Number.MAX_SAFE_INTEGER,
  ),
  fc.string({ unit: 'binary', maxLength: 5 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.array(fc.constantFrom(0, 1, 'a', '', true, null), { maxLength: 4 }),
  fc.dictionary(names(), fc.constantFrom(0, 1, 'a', '', true, null, [], {}), { maxKeys: 4, noNullPrototype: true }),
  fc.jsonValue({ maxDepth: 3 }),
);

describe('checkerOf', () => {
  test('explains a value exactly when it does not pass', () => {
    fc.assert(
      fc.property(anySchema, anyValue, (schema, value) => {
        const { test: passes, explain } = checkerOf(schema);
        assert.equal(explain(value).length === 0, passes(value));
      }),
      { numRuns: 20_000 },
    );
  });

  test('is of one opinion with the book on JSON Schema, and finds the fault in the same place', () => {
    fc.assert(
      fc.property(anySchema, anyValue, (schema, value) => {
        // An integer beyond what a double tells apart is one for JSON Schema, and none for us.
        fc.pre(!JSON.stringify(value).includes('e+') && !/\d{16}/.test(JSON.stringify(value)));
        const ours = checkerOf(schema).explain(value);
        const theirs = faultsOf(openAsIs(schema), value, {}, '');
        assert.equal(ours.length === 0, theirs.length === 0, `${JSON.stringify(ours)} ${theirs.join('; ')}`);
        const places = new Set(theirs.map((fault) => fault.replace(/^\./, '').replace(/ (is|has|does) .*$/s, '')));
        for (const { field } of ours) assert.ok(places.has(field), `${field} is not among ${[...places].join(', ')}`);
      }),
      { numRuns: 20_000 },
    );
  });

  test('counts characters as code points, at both ends', () => {
    const { test: passes, explain } = checkerOf(Type.String({ minLength: 2, maxLength: 4 }));
    for (const one of ['a', 'é', '漢', '😀', '\u{10ffff}']) {
      for (let length = 0; length < 10; length++)
        assert.equal(passes(one.repeat(length)), length >= 2 && length <= 4, `${length} × ${one}`);
    }
    assert.deepEqual(explain('😀'), [{ field: '', reason: 'must have at least 2 characters' }]);
    assert.deepEqual(explain('😀'.repeat(5)), [{ field: '', reason: 'must have at most 4 characters' }]);
  });

  test('takes no number for another type, nor another type for a number', () => {
    for (const odd of ['1', true, null, [1], {}, JSON.rawJSON('1e400')]) {
      assert.ok(!checkerOf(Type.Integer()).test(odd));
      assert.ok(!checkerOf(Type.Number()).test(odd));
    }
    for (const odd of [1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, 1e300])
      assert.ok(!checkerOf(Type.Integer()).test(odd), String(odd));
    for (const odd of [Number.NaN, Number.POSITIVE_INFINITY]) assert.ok(!checkerOf(Type.Number()).test(odd));
    for (const odd of [0, 1, 'true', null]) assert.ok(!checkerOf(Type.Boolean()).test(odd));
  });

  test('says of a number that cannot be kept why it is refused', () => {
    const schema = Type.Object({ price: Type.Number(), note: Type.Unknown() });
    const raw = JSON.rawJSON('0.12345678901234567890');
    assert.deepEqual(checkerOf(schema).explain({ price: raw, note: raw }), [
      { field: 'price', reason: 'has more digits than can be kept exactly' },
    ]);
    assert.ok(!checkerOf(Type.Object({})).test(raw));
  });

  test('takes one of several types, and null where it may be', () => {
    const nullable = checkerOf(Type.Unsafe<string[] | null>({ anyOf: [Type.Array(Type.String()), { type: 'null' }] }));
    for (const good of [null, [], ['a']]) assert.deepEqual(nullable.explain(good), []);
    assert.deepEqual(nullable.explain([1]), [{ field: '[0]', reason: 'must be a string' }]);
    assert.deepEqual(nullable.explain('a'), [{ field: '', reason: 'must be an array' }]);
    const mixed = checkerOf(Type.Unsafe<unknown>({ anyOf: [Type.String(), Type.Number(), Type.Array(Type.String())] }));
    for (const good of ['', 1, ['a']]) assert.ok(mixed.test(good));
    assert.deepEqual(mixed.explain(null), [{ field: '', reason: 'must be a string, a number or an array' }]);
    assert.deepEqual(mixed.explain([1]), [{ field: '[0]', reason: 'must be a string' }], 'it is an array, so the faults of that are told');
  });

  test('tells every fault, with its path', () => {
    const schema = Type.Object(
      {
        customer: Type.String({ minLength: 1 }),
        items: Type.Array(
          Type.Object(
            { n: Type.Integer({ minimum: 1 }), tag: Type.Optional(Type.String({ enum: ['x', 'y'] })) },
            { additionalProperties: false },
          ),
          { minItems: 1 },
        ),
      },
      { additionalProperties: false },
    );
    assert.deepEqual(checkerOf(schema).explain({ customer: '', items: [{ n: 1 }, { n: 0, tag: 'z', more: 1 }, 5], odd: 1 }), [
      { field: 'customer', reason: 'must not be empty' },
      { field: 'items[1].n', reason: 'must be at least 1' },
      { field: 'items[1].tag', reason: 'must be one of x, y' },
      { field: 'items[1].more', reason: 'is not known here' },
      { field: 'items[2]', reason: 'must be an object' },
      { field: 'odd', reason: 'is not known here' },
    ]);
    assert.deepEqual(checkerOf(schema).explain({}), [
      { field: 'customer', reason: 'is mandatory' },
      { field: 'items', reason: 'is mandatory' },
    ]);
  });

  test('misses a member unless another one says that there is none', () => {
    const schema = Type.Object(
      { zip: Type.Optional(Type.String()), country: Type.Optional(Type.String()) },
      { 'x-required-unless': { zip: { member: 'country', values: ['HK', 'Hong Kong'] } } },
    );
    const checker = checkerOf(schema);
    for (const good of [{ zip: '1' }, { country: 'hk' }, { country: 'HONG KONG' }, { zip: '1', country: 'DE' }])
      assert.ok(checker.test(good));
    for (const bad of [{}, { country: 'DE' }, { country: '' }]) {
      assert.ok(!checker.test(bad));
      assert.deepEqual(checker.explain(bad), [{ field: 'zip', reason: 'is mandatory' }]);
    }
  });

  test('wants one of several members, or only one of them', () => {
    const members = { rate: Type.Optional(Type.Number()), amount: Type.Optional(Type.Number()), note: Type.Optional(Type.String()) };
    const some = checkerOf(Type.Object(members, anyMember('rate', 'amount')));
    const within = checkerOf(Type.Array(Type.Object(members, anyMember('rate', 'amount'))));
    for (const good of [{ rate: 1 }, { amount: 0 }, { rate: 1, amount: 2, note: 'x' }]) assert.ok(some.test(good) && within.test([good]));
    for (const bad of [{}, { note: 'x' }, { rate: undefined }]) {
      assert.ok(!some.test(bad));
      assert.deepEqual(some.explain(bad), [{ field: 'rate', reason: 'is mandatory, unless amount is given' }]);
      assert.deepEqual(within.explain([bad]), [{ field: '[0]', reason: 'must have rate or amount' }]);
    }
    const { explain } = checkerOf(Type.Object(members, oneMember('rate', 'amount', 'note')));
    for (const bad of [{}, { rate: 1, note: 'x' }])
      assert.deepEqual(explain(bad), [{ field: '', reason: 'must have exactly one of rate, amount, note' }]);
    const either = checkerOf(Type.Object({ tax: Type.Object(members, oneMember('rate', 'amount')) }));
    for (const good of [{ tax: { rate: 1 } }, { tax: { amount: 0, note: 'x' } }]) assert.ok(either.test(good));
    for (const [tax, end] of [
      [{}, ''],
      [{ rate: 1, amount: 2 }, ', not both'],
    ] as const) {
      assert.ok(!either.test({ tax }));
      assert.deepEqual(either.explain({ tax }), [{ field: 'tax', reason: `must have either rate or amount${end}` }]);
    }
  });

  test('takes a constant, and nothing that only looks like it', () => {
    const { test: passes, explain } = checkerOf(Type.Literal('on'));
    assert.ok(passes('on'));
    for (const odd of ['off', 'ON', '', null, true, ['on'], { on: 'on' }]) {
      assert.ok(!passes(odd));
      assert.deepEqual(explain(odd), [{ field: '', reason: 'must be "on"' }]);
    }
    assert.ok(!checkerOf(Type.Literal(0)).test(false));
    assert.ok(!checkerOf(Type.Literal(1)).test('1'));
    assert.ok(checkerOf(Type.Literal(false)).test(false));
  });

  test('of objects that are told apart by their type, only the faults of the one meant are told', () => {
    const Auth = Type.OneOf([
      Type.Object({ type: Type.Literal('none') }, { additionalProperties: false }),
      Type.Object({ type: Type.Literal('bearer'), token: Type.String({ minLength: 1 }) }, { additionalProperties: false }),
      Type.Object({ type: Type.Literal('basic'), user: Type.String(), password: Type.String() }, { additionalProperties: false }),
    ]);
    const { test: passes, explain } = checkerOf(Type.Object({ auth: Auth }));
    const faults = (auth: unknown): string[] => explain({ auth }).map(({ field, reason }) => `${field} ${reason}`);
    for (const good of [{ type: 'none' }, { type: 'bearer', token: 'x' }, { type: 'basic', user: '', password: '' }]) {
      assert.ok(passes({ auth: good }));
      assert.deepEqual(faults(good), []);
    }
    const bad: [unknown, string[]][] = [
      [{ type: 'none', token: 'x' }, ['auth.token is not known here']],
      [{ type: 'bearer', token: '' }, ['auth.token must not be empty']],
      [{ type: 'bearer', user: 'x' }, ['auth.token is mandatory', 'auth.user is not known here']],
      [{ type: 'other' }, ['auth.type must be one of none, bearer, basic']],
      [{ type: 'constructor' }, ['auth.type must be one of none, bearer, basic']],
      [{ type: ['none'] }, ['auth.type must be one of none, bearer, basic']],
      [{}, ['auth.type is mandatory: one of none, bearer, basic']],
      ['none', ['auth must be an object']],
      [null, ['auth must be an object']],
      [[], ['auth must be an object']],
    ];
    for (const [auth, expected] of bad) {
      assert.ok(!passes({ auth }));
      assert.deepEqual(faults(auth), expected);
    }
  });

  test('does not mistake what every object has for a member', () => {
    const { test: passes } = checkerOf(Type.Object({ constructor: Type.Unknown() } as never, { additionalProperties: false }));
    assert.ok(!passes({}));
    assert.ok(passes({ constructor: 1 }));
    assert.ok(!passes({ constructor: 1, toString: 1 }));
  });

  test('stops counting faults at a thousand or so', () => {
    const items = Array.from({ length: 100_000 }, () => 'x');
    assert.equal(checkerOf(Type.Array(Type.Integer())).explain(items).length, 1000);
    const members = Object.fromEntries(items.map((_, i) => [`m${i}`, 1]));
    assert.equal(checkerOf(Type.Object({}, { additionalProperties: false })).explain(members).length, 1000);
  });
});

describe('printable', () => {
  test('makes any name fit to be shown', () => {
    fc.assert(
      fc.property(
        fc.tuple(fc.string({ unit: 'binary' }), fc.nat(300)).map(([text, times]) => text.repeat(times)),
        (name) => {
          const shown = printable(name);
          assert.ok(shown.length <= 201 && shown.isWellFormed());
          assert.doesNotMatch(shown, /[\p{Cc}\p{Cf}]/u);
        },
      ),
    );
    assert.equal(printable('items[0].größe 😀'), 'items[0].größe 😀');
    assert.equal(printable('a\0b\ud800'), 'a\uFFFDb\uFFFD');
  });
});

/** For the book, an object is open unless it says otherwise; the tests' checker wants that said. */
function openAsIs(schema: TSchema): TSchema {
  if (schema.items) return { ...schema, items: openAsIs(schema.items) };
  if (schema.type !== 'object') return schema;
  const properties = Object.entries(schema.properties ?? {}).map(([name, member]) => [name, openAsIs(member)]);
  return { ...schema, properties: Object.fromEntries(properties), additionalProperties: schema.additionalProperties ?? true };
}
