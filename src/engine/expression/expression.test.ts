import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { CanonicalType, Value } from '../../connectors/canonical.ts';
import type { Field } from '../../connectors/contract.ts';
import { checkExpression, compileExpression } from './expression.ts';
import { ExpressionFault } from './term.ts';
import { ExpressionError } from './values.ts';

const ROW: readonly [name: string, type: CanonicalType, value: Value][] = [
  ['id', 'int64', '5'],
  ['name', 'text', 'Zoë'],
  ['price', 'decimal', '19.990'],
  ['weight', 'float64', '2.5'],
  ['paid', 'boolean', 't'],
  [
    'data',
    'json',
    '{"a":{"b":[1,2.50,"x"]},"constructor":1,"big":12345678901234567890,"items":[{"qty":2,"price":1.10},{"qty":1,"price":3}]}',
  ],
  ['created_at', 'timestamptz', '2026-11-15 04:42:11.5+00'],
  ['Order No', 'text', 'A-1'],
  ['missing', 'text', null],
  ['discount', 'decimal', null],
];
const FIELDS: readonly Field[] = ROW.map(([name, type]) => ({ name, type, nullable: true }));
const VALUES = ROW.map(([, , value]) => value);

function evaluate(expression: string, type?: CanonicalType): Value {
  return compileExpression(expression, FIELDS, type).evaluate(VALUES);
}

function typeOf(expression: string): string {
  const checked = checkExpression(expression, FIELDS);
  return 'type' in checked ? checked.type : checked.fault;
}

const RESULTS: readonly [expression: string, type: CanonicalType, value: Value][] = [
  // Numbers
  ['id + 1', 'int64', '6'],
  ['id / 2', 'int64', '2'],
  ['-id % 3', 'int64', '-2'],
  ['-9223372036854775808', 'int64', '-9223372036854775808'],
  ['price * 1.19', 'decimal', '23.78810'],
  ['price - id', 'decimal', '14.990'],
  ['id * 0.5', 'decimal', '2.5'],
  ['0.1 + 0.2', 'decimal', '0.3'],
  ['price / 3', 'decimal', '6.66333333333333333333'],
  ['div(price, 3, 2)', 'decimal', '6.66'],
  ['round(price * 1.19, 2)', 'decimal', '23.79'],
  ['round(2.5)', 'decimal', '3'],
  ['weight * 2.5', 'float64', '6.25'],
  ['weight + id', 'float64', '7.5'],
  ['double(price) * weight', 'float64', '49.974999999999994'],
  ['floor(-2.5)', 'decimal', '-3'],
  ['ceil(2.1)', 'decimal', '3'],
  ['abs(-id)', 'int64', '5'],
  ['int(-2.7)', 'int64', '-2'],
  ['int("42")', 'int64', '42'],
  ['decimal("1e3") + 1', 'decimal', '1001'],
  // Texts
  ['name + "!"', 'text', 'Zoë!'],
  ['upper(name)', 'text', 'ZOË'],
  ['name.lower()', 'text', 'zoë'],
  ['trim("  a ")', 'text', 'a'],
  ['replace(name, "Z", "z")', 'text', 'zoë'],
  ['substring("h😀llo", 1, 3)', 'text', '😀l'],
  ['substring(name, 1, 99)', 'text', 'oë'],
  ['size("h😀")', 'int64', '2'],
  ['indexOf("h😀llo", "l")', 'int64', '2'],
  ['split("a,b", ",")', 'json', '["a","b"]'],
  ['split("a,b", ",")[1]', 'text', 'b'],
  ['join(["a", "b"], "-")', 'text', 'a-b'],
  ['padStart(string(id), 4, "0")', 'text', '0005'],
  ['sha256("")', 'text', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['name.startsWith("Z") && name.contains("o") && !name.endsWith("x")', 'boolean', 't'],
  ['name.matches("^Z.{2}$")', 'boolean', 't'],
  ['string(price) + "/" + string(paid) + "/" + string(data.a)', 'text', '19.990/true/{"b":[1,2.50,"x"]}'],
  // Fields by name
  ['row["Order No"]', 'text', 'A-1'],
  ['row.name', 'text', 'Zoë'],
  ['json(row).contains("Order No")', 'boolean', 't'],
  // Choices and nulls
  ['price > 19.98 && weight < 3.0 ? "big" : "small"', 'text', 'big'],
  ['paid ? 1 : 0.5', 'decimal', '1'],
  ['missing + "!"', 'text', null],
  ['upper(missing)', 'text', null],
  ['price - discount', 'decimal', null],
  ['coalesce(missing, name)', 'text', 'Zoë'],
  ['coalesce(discount, 0) + 1', 'decimal', '1'],
  ['missing == null', 'boolean', 't'],
  ['missing == "x"', 'boolean', 'f'],
  ['missing == null || missing > "a"', 'boolean', 't'],
  ['missing > "a" || true', 'boolean', 't'],
  ['nullIf(name, "Zoë")', 'text', null],
  ['has(row.missing)', 'boolean', 'f'],
  ['null', 'text', null],
  // JSON
  ['data.a.b[1]', 'text', '2.50'],
  ['data.big + 1', 'text', '12345678901234567891'],
  ['data.a', 'text', '{"b":[1,2.50,"x"]}'],
  ['data.nothing.here', 'text', null],
  ['has(data.a)', 'boolean', 't'],
  ['has(data.nothing)', 'boolean', 'f'],
  ['"a" in data', 'boolean', 't'],
  ['id in [1, 5]', 'boolean', 't'],
  ['sum(data.items.map(i, i.qty * i.price))', 'text', '5.20'],
  ['data.items.filter(i, i.qty > 1)', 'json', '[{"qty":2,"price":1.10}]'],
  ['data.items.map(i, i.qty > 1, i.price)', 'json', '[1.10]'],
  ['data.items.all(i, i.qty > 0) && data.items.exists(i, i.qty > 1) && data.items.exists_one(i, i.qty == 1)', 'boolean', 't'],
  ['{"id": id, "tags": ["a", 1]}', 'json', '{"id":5,"tags":["a",1]}'],
  ['parseJson("[1.10]")[0]', 'text', '1.10'],
  ['cel.bind(x, id * 2, x + x)', 'int64', '20'],
  // Dates and times
  ['year(created_at) * 100 + month(created_at)', 'int64', '202611'],
  ['weekday(created_at)', 'int64', '7'],
  ['date(created_at)', 'text', '2026-11-15'],
  ['epoch(created_at)', 'decimal', '1794717731.5'],
  ['timestamp(epoch(created_at) + 0.25)', 'text', '2026-11-15 04:42:11.75+00'],
  ['created_at >= "2026-11-01"', 'boolean', 't'],
];

test('expressions are typed before they run, and give exact values', () => {
  for (const [expression, type, value] of RESULTS) {
    assert.equal(typeOf(expression), type, expression);
    assert.equal(evaluate(expression), value, expression);
  }
});

test('a result is cast to the type that is asked for', () => {
  assert.equal(evaluate('date(created_at)', 'date'), '2026-11-15');
  assert.equal(evaluate('data.a.b[0]', 'int64'), '1');
  assert.equal(evaluate('price * 100', 'int64'), '1999');
  assert.equal(evaluate('data.a', 'json'), '{"b":[1,2.50,"x"]}');
  assert.throws(() => evaluate('name', 'int64'), /^Error: "Zoë" \(text\) cannot become int64 without loss/);
});

test('only the fields that it names are looked at', () => {
  assert.deepEqual(compileExpression('price * 2 > 1 ? name : row.name', FIELDS).uses, [1, 2]);
});

const FAULTS: readonly [expression: string, fault: string][] = [
  ['nmae', 'at character 1: there is no field "nmae"; did you mean name?'],
  ['1 + order_no', 'at character 5: there is no field "order_no"; did you mean row["Order No"]?'],
  ['row["Order Nr"]', 'at character 1: there is no field "Order Nr"; did you mean row["Order No"]?'],
  ['uper(name)', 'at character 1: there is no function uper; did you mean upper?'],
  ['upper(id)', 'at character 7: upper() needs a text here, not a whole number'],
  ['substring(name)', 'at character 1: substring() needs 2 to 3 values, not 1'],
  [
    'name + id',
    'at character 1: a text + a whole number cannot be computed; use string(…) to make a text, or int(…), decimal(…) to make a number',
  ],
  ['price * weight', 'at character 1: a decimal * a double cannot be computed; use decimal(…) or double(…) to say which'],
  ['name == 5', 'at character 1: a text == a whole number: these are never equal'],
  ['paid ? 1 : "a"', 'at character 1: the two results are a whole number and a text; make them alike'],
  ['id ? 1 : 2', 'at character 1: true or false is needed here, not a whole number'],
  ['name.lower', 'at character 1: a text has no members; lower is a function: write lower(…)'],
  ['1 +', 'at character 4: the expression ends too early'],
  ['name.matches("(")', 'at character 14: the pattern "(" cannot be used: a ( without a )'],
  ['99999999999999999999', 'at character 1: 99999999999999999999 is beyond 64 bits; write it as decimal("99999999999999999999")'],
];

test('a fault says where and what, and what was meant', () => {
  for (const [expression, fault] of FAULTS) assert.equal(typeOf(expression), fault);
  assert.match(typeOf('"'.padEnd(5000, 'a')), /at most 4096 characters/);
  assert.match(typeOf('('.repeat(200) + ')'.repeat(200)), /Exceeded maxDepth/);
});

const ERRORS: readonly [expression: string, reason: RegExp][] = [
  ['id / 0', /^Error: division by zero$/],
  ['price / 0', /division by zero/],
  ['9223372036854775807 + id', /beyond 64 bits; use decimal/],
  ['missing > "a"', /cannot compare null with a text; test it with == null first/],
  ['data.nothing ? 1 : 2', /true or false is needed, not null/],
  ['int(name)', /"Zoë" is no int64/],
  ['data.a.b.x', /a list has no member "x"/],
  ['upper(data.a)', /upper\(\) needs a text, not an object/],
  ['parseJson(name)', /the text is not JSON/],
  ['split(padStart("", 2000, "a"), "").map(a, split(padStart("", 2000, "a"), "").map(b, 1))', /too much work for one row/],
  ['["a", "a"].filter(i, padStart("", 30000000, "a").matches("(a?){390}b")).size()', /too much work for one row/],
  ['split(padStart("", 2000, "a"), "").filter(a, padStart("", 60000000, "b").lower() == "c").size()', /too much work for one row/],
  [
    `split(padStart("", 2000, "a"), "").map(a, split(padStart("", 400, "a"), "").map(b, [${Array.from({ length: 900 }, () => 1).join()}]))`,
    /too much work for one row/,
  ],
  ['cel.bind(l, split(padStart("", 100000, "a"), ""), l.filter(a, "b" in l)).size()', /too much work for one row/],
  [
    'cel.bind(l, split(padStart("", 100000, "a"), ""), l.map(a, false, l)).size() + split(padStart("", 1000000, "a"), "").map(a, a == "b", 1).size()',
    /too much work for one row/,
  ],
  ['padStart("", 99999999999, "a")', /larger than 64 MiB/],
  ['cel.bind(a, padStart("", 60000, "a"), replace(a, "a", a))', /larger than 64 MiB/],
];

test('what cannot be computed for a row says why', () => {
  for (const [expression, reason] of ERRORS) assert.throws(() => evaluate(expression), reason, expression);
});

test('nothing but the row can be reached', () => {
  for (const name of ['constructor', '__proto__', 'toString', 'process', 'globalThis', 'this', 'hasOwnProperty', 'cel']) {
    assert.ok('fault' in checkExpression(name, FIELDS), name);
    assert.ok('fault' in checkExpression(`${name}()`, FIELDS), `${name}()`);
    assert.ok('fault' in checkExpression(`name.${name}`, FIELDS), `name.${name}`);
    assert.ok('fault' in checkExpression(`row.${name}`, FIELDS), `row.${name}`);
  }
  assert.equal(evaluate('data.constructor'), '1', 'a member of the data like any other');
  assert.equal(evaluate('data.toString'), null);
  assert.equal(evaluate('data.a.__proto__'), null);
  assert.equal(evaluate('{"__proto__": id}'), '{"__proto__":5}');
  assert.equal(({} as { id?: unknown }).id, undefined);
});

const SNIPPET = fc.constantFrom(
  ...'id name price data missing row . [ ] ( ) + - * / % < == && || ! ? : , 1 2.5 "a" null true in { } x upper( coalesce( size( map(x,'.split(
    ' ',
  ),
);

test('property: any text is an expression or a fault, and any evaluation a value or a reason', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(SNIPPET, { maxLength: 12 }).map((parts) => parts.join(' ')),
        fc.string(),
      ),
      (expression) => {
        try {
          evaluate(expression);
        } catch (error) {
          assert.ok(error instanceof ExpressionFault || error instanceof ExpressionError, `${expression}: ${String(error)}`);
        }
      },
    ),
    { numRuns: 3000 },
  );
});
