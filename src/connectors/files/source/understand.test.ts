// What files are told to be: dialect, header, encoding, types, format, compression.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { filesFolder } from '../../../../test/support/files-folder.ts';
import type { Row } from '../../canonical.ts';

const folder = filesFolder();
after(() => folder.remove());

describe('the dialect is told from the file', () => {
  const rows: Row[] = [
    ['Müller, "Söhne"', '1'],
    ['a;b|c', '2'],
  ];
  const files: Record<string, string> = {
    comma: 'name,n\n"Müller, ""Söhne""",1\na;b|c,2\n',
    semicolon: 'name;n\r\n"Müller, ""Söhne""";1\r\n"a;b|c";2\r\n',
    tab: 'name\tn\n"Müller, ""Söhne"""\t1\na;b|c\t2',
    bar: 'name|n\n"Müller, ""Söhne"""|1\n"a;b|c"|2\n',
    backslash: 'name,n\n"Müller, \\"Söhne\\"",1\n"a;b|c",2\n',
    'old Mac': 'name,n\r"Müller, ""Söhne""",1\ra;b|c,2\r',
  };
  for (const [name, text] of Object.entries(files)) {
    test(name, async () => {
      folder.write('a.csv', text);
      const found = await folder.read({ path: 'a.csv' });
      assert.deepEqual([found.names, found.types, found.rows, found.rejects], [['name', 'n'], ['text', 'int64'], rows, []]);
    });
  }
  test('apostrophes as quotes, only when they are', async () => {
    folder.write('q.csv', "name,n\n'a,b',1\n'c',2\n");
    assert.deepEqual((await folder.read({ path: 'q.csv' })).rows, [
      ['a,b', '1'],
      ['c', '2'],
    ]);
    folder.write('q.csv', "name,n\nO'Brien,1\n'tis,2\n");
    assert.deepEqual((await folder.read({ path: 'q.csv' })).rows, [
      ["O'Brien", '1'],
      ["'tis", '2'],
    ]);
  });
  test('what is set is not guessed', async () => {
    folder.write('set.csv', 'a;b,c\n1;2,3\n');
    const found = await folder.read({ path: 'set.csv', delimiter: ';', header: 'no', nulls: ['1'] });
    assert.deepEqual(found.names, ['column_1', 'column_2']);
    assert.deepEqual(found.rows, [
      ['a', 'b,c'],
      [null, '2,3'],
    ]);
  });
});

describe('the header', () => {
  const cases: [string, string[], number][] = [
    ['id,name\n1,a\n', ['id', 'name'], 1],
    ['1,a\n2,b\n', ['column_1', 'column_2'], 2],
    ['id,id,,id\n1,2,3,4\n', ['id', 'id_2', 'column_3', 'id_3'], 1],
    ['\n\nid,name\n1,a\n', ['id', 'name'], 1],
    ['id,name\n', ['id', 'name'], 0],
    ['id,name', ['id', 'name'], 0],
    ['', [], 0],
  ];
  for (const [text, names, count] of cases) {
    test(JSON.stringify(text), async () => {
      folder.write('h.csv', text);
      const found = await folder.read({ path: 'h.csv' });
      assert.deepEqual([found.names, found.rows.length, found.rejects], [names, count, []]);
    });
  }
});

describe('types', () => {
  test('are told from the values, and codes stay text', async () => {
    folder.write(
      't.csv',
      'i,d,f,b,day,at,tz,id,zip,phone,j,mixed,none\n' +
        '1,1.50,1e3,true,2026-01-01,2026-01-01 10:00,2026-01-01T10:00:00Z,6f1c1d4e-0000-4000-8000-000000000000,01234,+49123,"{""a"":1}",1,\n' +
        '12345678901234567890,2,2.5,FALSE,2026-02-01,2026-01-01T10:00:00.5,2026-01-01T11:00:00+01:00,6F1C1D4E-0000-4000-8000-000000000000,98765,+1,[],x,\n',
    );
    const { types, rows } = await folder.read({ path: 't.csv' });
    assert.deepEqual(types, [
      'decimal',
      'decimal',
      'float64',
      'boolean',
      'date',
      'timestamp',
      'timestamptz',
      'uuid',
      'text',
      'text',
      'json',
      'text',
      'text',
    ]);
    assert.equal(rows[1]?.[6], '2026-01-01 10:00:00+00');
    assert.equal(rows[0]?.[8], '01234');
  });
  test('are what is declared, and values that do not fit are rejected', async () => {
    folder.write('t.csv', 'a,b\n1,2\n3,x\n');
    const found = await folder.read({
      path: 't.csv',
      types: [
        { field: 'a', type: 'text' },
        { field: 'b', type: 'int64' },
      ],
    });
    assert.deepEqual(found.types, ['text', 'int64']);
    assert.deepEqual(found.rows, [['1', '2']]);
    assert.match(found.rejects[0]?.reason ?? '', /^Line 3: "b" is not of the type int64: "x"\.$/);
  });
});

describe('encodings', () => {
  const text = 'name;größe\r\n"Ä;ö";1\r\n😀;2\r\n';
  const expected = [
    ['Ä;ö', '1'],
    ['😀', '2'],
  ];
  const utf16be = (content: string): Buffer => Buffer.from(content, 'utf16le').swap16();
  const files: Record<string, Buffer> = {
    'UTF-8': Buffer.from(text),
    'UTF-8 with a mark': Buffer.from(`\ufeff${text}`),
    'UTF-16 LE with a mark': Buffer.from(`\ufeff${text}`, 'utf16le'),
    'UTF-16 BE with a mark': utf16be(`\ufeff${text}`),
    'UTF-16 LE': Buffer.from(text, 'utf16le'),
    'UTF-16 BE': utf16be(text),
  };
  for (const [name, bytes] of Object.entries(files)) {
    test(name, async () => {
      folder.write('e.csv', bytes);
      const found = await folder.read({ path: 'e.csv' });
      assert.deepEqual([found.names, found.rows], [['name', 'größe'], expected]);
    });
  }
  test('Windows-1252 is recognised, Latin-1 and others are taken at their word', async () => {
    folder.write('e.csv', Buffer.from('name,n\nM\xfcller \x80,1\n', 'latin1'));
    assert.deepEqual((await folder.read({ path: 'e.csv' })).rows, [['Müller €', '1']]);
    assert.deepEqual((await folder.read({ path: 'e.csv', encoding: 'latin-1' })).rows, [['Müller \u0080', '1']]);
    folder.write('e.csv', Buffer.from([0x61, 0x2c, 0x62, 0x0a, 0x93, 0xfa, 0x2c, 0x31, 0x0a]));
    assert.deepEqual((await folder.read({ path: 'e.csv', encoding: 'shift_jis' })).rows, [['日', '1']]);
  });
  test('what is broken in its encoding is rejected, nothing is replaced', async () => {
    folder.write('e.csv', Buffer.concat([Buffer.from('a,b\nü,1\n'), Buffer.from([0xff, 0x2c, 0x32, 0x0a]), Buffer.from('x,3\n')]));
    const utf8 = await folder.read({ path: 'e.csv' });
    assert.deepEqual([utf8.rows.length, utf8.rejects.length], [2, 1]);
    folder.write('e.csv', Buffer.from('\ufeffa,b\n\ud800,1\nü,2\n', 'utf16le'));
    const utf16 = await folder.read({ path: 'e.csv' });
    assert.deepEqual([utf16.rows, utf16.rejects.length], [[['ü', '2']], 1]);
  });
});

describe('JSON Lines', () => {
  test('members become fields, nesting becomes JSON, digits are kept', async () => {
    folder.write('a.jsonl', '{"id":12345678901234567890,"at":"2026-01-01T00:00:00Z","x":{"y":[1.50]}}\n\n{"id":1,"x":null,"b":true}');
    const { names, types, rows } = await folder.read({ path: 'a.jsonl' });
    assert.deepEqual(names, ['id', 'at', 'x', 'b']);
    assert.deepEqual(types, ['decimal', 'timestamptz', 'json', 'boolean']);
    assert.deepEqual(rows, [
      ['12345678901234567890', '2026-01-01 00:00:00+00', '{"y":[1.5]}', null],
      ['1', null, null, 't'],
    ]);
  });
  test('bad lines are rejected with their line', async () => {
    folder.write('b.jsonl', '{"a":1}\n{"a":\n[1]\n"x"\n{"a":"\\ud800"}\n{"a":2}\n');
    const { rows, rejects } = await folder.read({ path: 'b.jsonl', types: [{ field: 'a', type: 'text' }] });
    assert.deepEqual(rows, [['1'], ['2']]);
    assert.deepEqual(
      rejects.map((reject) => /^Line (\d)/.exec(reject.reason)?.[1]),
      ['2', '3', '4', '5'],
    );
  });
  test('a member that appears late is reported, left out on demand, or declared', async () => {
    folder.write('late.jsonl', `${'{"a":1}\n'.repeat(10_001)}{"a":2,"late":"x"}\n`);
    const strict = await folder.read({ path: 'late.jsonl' });
    assert.equal(strict.rows.length, 10_001);
    assert.deepEqual([strict.rejects.length, strict.rejects[0]?.field], [1, 'late']);
    assert.equal((await folder.read({ path: 'late.jsonl', unknown_fields: 'ignore' })).rows.length, 10_002);
    const declared = await folder.read({ path: 'late.jsonl', types: [{ field: 'late', type: 'text' }] });
    assert.deepEqual(declared.rows.at(-1), ['2', 'x']);
  });
});

describe('packed files', () => {
  for (const [name, pack] of Object.entries({ 'a.csv.gz': gzipSync, 'a.csv.zst': zstdCompressSync, 'named-otherwise.csv': gzipSync })) {
    test(`${name}, of several parts`, async () => {
      folder.write(name, Buffer.concat([pack(Buffer.from('a,b\n1,2\n')), pack(Buffer.from('3,4\n'))]));
      assert.deepEqual((await folder.read({ path: name })).rows, [
        ['1', '2'],
        ['3', '4'],
      ]);
    });
  }
  test('a cut-off file is an error in words', async () => {
    const text = Array.from({ length: 50_000 }, (_, n) => `${n},${Math.imul(n, 0x9e3779b1) >>> 0}\n`).join('');
    folder.write('cut.csv.gz', gzipSync(Buffer.from(`a,b\n${text}`)).subarray(0, 200_000));
    await assert.rejects(folder.read({ path: 'cut.csv.gz' }), { kind: 'data', code: 'ARCHIVE_BROKEN' });
  });
  test('a bomb costs time, not memory', async () => {
    // 200 MB of zeros in 200 kB: one row that never ends.
    folder.write('bomb.csv.gz', gzipSync(Buffer.concat([Buffer.from('a,b\n1,'), Buffer.alloc(200 * 1024 * 1024, 0x78)])));
    const before = process.memoryUsage().arrayBuffers;
    await assert.rejects(folder.read({ path: 'bomb.csv.gz' }), { kind: 'data', code: 'ROW_TOO_LARGE' });
    assert.ok(process.memoryUsage().arrayBuffers - before < 400 * 1024 * 1024);
  });
});

test('any table in any encoding and line end is understood', async () => {
  const cell = fc
    .string({ unit: fc.constantFrom('a', 'Z', '7', 'ü', 'é', ' ', ',', ';', '"', '\n'), minLength: 1, maxLength: 10 })
    .filter((text) => text.trim() !== '');
  const tables = fc.array(fc.tuple(cell, cell, fc.nat()), { minLength: 3, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(
      tables,
      fc.constantFrom('utf8', 'utf16le', 'latin1'),
      fc.constantFrom('\n', '\r\n'),
      fc.constantFrom(',', ';', '\t', '|'),
      async (rows, encoding, end, sign) => {
        const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
        const lines = [['alpha', 'beta', 'gamma'].join(sign), ...rows.map(([a, b, n]) => [quoted(a), quoted(b), n].join(sign))];
        const mark = encoding === 'utf16le' ? '\ufeff' : '';
        folder.write('any.csv', Buffer.from(mark + lines.join(end) + end, encoding as BufferEncoding));
        // With few letters beyond ASCII, Latin-1 cannot be told from UTF-8 for certain: it is given.
        const wish = encoding === 'latin1' ? { encoding: 'latin-1' } : {};
        const found = await folder.read({ path: 'any.csv', types: ['alpha', 'beta'].map((field) => ({ field, type: 'text' })), ...wish });
        assert.deepEqual(
          found.rows,
          rows.map(([a, b, n]) => [a, b, String(n)]),
        );
      },
    ),
    { numRuns: 150 },
  );
});
