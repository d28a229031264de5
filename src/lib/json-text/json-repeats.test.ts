import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { AppError } from '../errors.ts';
import { parseJson } from '../json.ts';
import { repeatedMember } from './json-repeats.ts';

describe('a member that is given twice', () => {
  test('is refused, and named', () => {
    const cases: [text: string, path: string][] = [
      ['{"a":1,"a":2}', 'a'],
      ['{"a":1,"a":1}', 'a'],
      ['{"a":{"b":1,"c":2,"b":3}}', 'a.b'],
      ['{"items":[{"price":1},{"price":1,"quantity":2,"price":0}]}', 'items[1].price'],
      ['[1,[2,{"a":{},"a":[]}]]', '[1][1].a'],
      ['{ "a" : 1 ,\n\t"a"\r\n: 2 }', 'a'],
      // However it is spelt.
      ['{"a":1,"\\u0061":2}', 'a'],
      ['{"\\u0061\\u005C":1,"a\\\\":2}', 'a\\'],
      ['{"\\"":1,"\\u0022":2}', '"'],
      ['{"":1,"":2}', ''],
      ['{"__proto__":1,"__proto__":2}', '__proto__'],
      ['{"a\\u0000":1,"a\\u0000":2}', 'a\\u0000'],
      ['{"a":1e400,"a":12345678901234567890}', 'a'],
      // Beside text that looks like members.
      ['{"a":"\\"b\\":","b":":","b":"x"}', 'b'],
    ];
    for (const [text, path] of cases) {
      const { code, details } = refusal(text);
      assert.equal(code, 'MALFORMED_JSON', text);
      assert.equal(details.field, path, text);
      assert.deepEqual(details.errors, [{ field: path, reason: 'is given more than once' }]);
    }
  });

  test('is not what looks like one', () => {
    for (const text of [
      '{"a":{"a":{"a":1}},"b":{"a":2}}',
      '[{"a":1},{"a":1}]',
      '{"a":":","b":"\\":","c":": :"}',
      '{"a":"{\\"a\\":1,\\"a\\":2}"}',
      '{"a":"b","b":"a","A":"a"}',
      '{"a\\\\":1,"a":2}',
      '{"url":"http://x:1","at":"2026-11-01T09:30:00.000Z"}',
      '{"a":null,"b":[null,{}],"c":1e400}',
    ])
      assert.doesNotThrow(() => parseJson(Buffer.from(text)), text);
  });

  test('is found in any JSON, as by a reader that goes letter by letter', () => {
    const name = fc.constantFrom('a', 'b', '\\u0061', 'a:', '\\"', ':', '', '\\\\');
    const space = fc.constantFrom('', ' ', '\n\t');
    const { value } = fc.letrec<{ value: string }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        fc.constantFrom('1', 'null', '""', '":"', '"\\":"', '"a"', '1e400'),
        fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
        fc
          .array(fc.tuple(name, space, tie('value')), { maxLength: 3 })
          .map((members) => `{${members.map(([key, gap, inner]) => `${gap}"${key}"${gap}:${gap}${inner}`).join(',')}}`),
      ),
    }));
    const seen = { repeated: 0, clean: 0 };
    fc.assert(
      fc.property(value, (text) => {
        const expected = naive(text);
        seen[expected ? 'repeated' : 'clean']++;
        assert.equal(repeatedMember(text, JSON.parse(text)) !== undefined, expected, text);
      }),
      { numRuns: 5000 },
    );
    assert.ok(seen.repeated > 100 && seen.clean > 100, JSON.stringify(seen));
  });

  test('is told at any depth and length without falling over', () => {
    const deep = 200_000;
    const text = `${'[{"a":'.repeat(deep)}{"b":1,"b":2}${'}]'.repeat(deep)}`;
    const { details } = refusal(text);
    assert.match(details.field ?? '', /^….*\[0\]\.a\.b$/);
    assert.ok((details.field ?? '').length < 1000);
  });
});

function refusal(text: string): AppError {
  try {
    parseJson(Buffer.from(text));
  } catch (error) {
    assert.ok(error instanceof AppError, String(error));
    return error;
  }
  throw new assert.AssertionError({ message: `${text.slice(0, 100)} was accepted` });
}

/** Whether some object of a JSON text has two members of one name: a parser as slow and as plain as can be. */
function naive(text: string): boolean {
  let at = 0;
  let repeated = false;
  const blank = (): void => {
    while (/\s/.test(text[at] ?? '')) at++;
  };
  const string = (): string => {
    const start = at++;
    while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
    at++;
    return JSON.parse(text.slice(start, at)) as string;
  };
  const value = (): void => {
    blank();
    if (text[at] === '"') {
      string();
    } else if (text[at] === '[' || text[at] === '{') {
      const names: string[] = [];
      const isObject = text[at++] === '{';
      blank();
      while (text[at] !== ']' && text[at] !== '}') {
        if (isObject) {
          names.push(string());
          blank();
          at++;
        }
        value();
        blank();
        if (text[at] === ',') at++;
        blank();
      }
      at++;
      if (new Set(names).size < names.length) repeated = true;
    } else {
      while (/[^,\]}\s]/.test(text[at] ?? ' ')) at++;
    }
  };
  value();
  return repeated;
}
