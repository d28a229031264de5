// What a check says, each case tried for real.
import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { filesFolder } from '../../../test/support/files-folder.ts';
import { checkerOf } from '../../lib/check.ts';
import { withDefaults } from '../config-values.ts';
import { FilesConfig, manifest } from './manifest.ts';

const folder = filesFolder();
after(() => folder.remove());
const check = async (config: Record<string, unknown>) => (await folder.session(config)).check();

describe('check', () => {
  test('tells what was found', async () => {
    folder.write('a.csv', 'id;name\n1;x\n');
    assert.equal((await check({ path: 'a.csv' })).message, 'a.csv: CSV in utf-8 with semicolons between cells and names in the first row.');
    folder.write('empty.csv', '');
    assert.deepEqual((await check({ path: 'empty.csv' })).warnings, ['"empty.csv" is empty.']);
    folder.write('binary.dat', Buffer.from([1, 0, 2, 0, 0, 0x0a]));
    assert.match((await check({ path: 'binary.dat' })).warnings.join(), /"binary.dat" holds NUL characters/);
    assert.match((await check({ path: '*.csv' })).message, /^2 files; the first, a.csv, is CSV/);
    assert.match((await check({ path: '.' })).message, /with 2 streams/);
  });
  test('says what is missing, forbidden or of another format, and which field is to blame', async () => {
    folder.write('a.txt', 'just words\n');
    folder.write('array.json', '[{"a":1}]');
    folder.write('secret.csv', 'a\n1\n');
    const cases: [Record<string, unknown>, Record<string, unknown>][] = [
      [{ path: 'none.csv' }, { kind: 'config', code: 'FILE_MISSING', field: 'path', message: 'There is no file "none.csv".' }],
      [{ path: 'none/' }, { kind: 'config', code: 'FILE_MISSING', message: 'There is no folder "none/".' }],
      [{ path: 'none/*.csv' }, { kind: 'config', code: 'FILE_MISSING', field: 'path', message: 'No file matches "none/*.csv".' }],
      [{ path: '*.parquet' }, { kind: 'config', code: 'FILE_MISSING', message: 'No file matches "*.parquet".' }],
      [{ path: '/etc/passwd' }, { kind: 'config', code: 'PATH_REFUSED', field: 'path' }],
      [{ path: '/etc/*' }, { kind: 'config', code: 'PATH_REFUSED' }],
      [
        { path: 'a.txt', format: 'parquet' },
        { kind: 'config', code: 'FORMAT_WRONG', field: 'format', message: '"a.txt" is not a Parquet file.' },
      ],
      [
        { path: 'a.txt', compression: 'gzip' },
        { kind: 'config', code: 'FORMAT_WRONG', field: 'compression' },
      ],
      [{ path: 'array.json' }, { kind: 'config', code: 'FORMAT_WRONG', message: '"array.json" is one JSON array, not JSON Lines.' }],
    ];
    for (const [config, expected] of cases) await assert.rejects(check(config), expected, JSON.stringify(config));
  });
  test('says when the system refuses', async () => {
    const path = join(folder.root, 'secret.csv');
    folder.write('secret.csv', 'a\n1\n');
    chmodSync(path, 0);
    // Root may read everything: for it the file is simply there.
    const mayRead = process.getuid?.() === 0;
    if (mayRead) assert.match((await check({ path: 'secret.csv' })).message, /CSV/);
    else await assert.rejects(check({ path: 'secret.csv' }), { kind: 'auth', code: 'FILE_FORBIDDEN' });
    chmodSync(path, 0o600);
  });
});

test('says when a folder that files may be in is itself not there, for files, patterns and folders', async () => {
  const missing = filesFolder();
  missing.remove();
  for (const path of ['a.csv', '*.csv', 'exports/', '.']) {
    const checked = missing.session({ path }).then((session) => session.check());
    await assert.rejects(checked, {
      kind: 'config',
      code: 'FILE_MISSING',
      field: 'path',
      message: `The folder ${missing.root}, where "${path}" would be, is not there.`,
      hint: /SYNCLINE_FILE_ROOTS/,
    });
  }
});

describe('the configuration', () => {
  const faults = (config: Record<string, unknown>): string[] => {
    const whole = withDefaults(FilesConfig, config);
    return [...checkerOf(FilesConfig).explain(whole), ...(manifest.validate?.(whole as never) ?? [])].map((fault) => fault.field);
  };
  test('names each fault', () => {
    const table: [Record<string, unknown>, string[]][] = [
      [{ path: 'a.csv' }, []],
      [{ url: 'https://example.com/a-{1..3}.csv', authorization: 'Bearer x' }, []],
      [{}, ['path']],
      [{ path: 'a', url: 'https://example.com' }, ['url']],
      [{ url: 'ftp://example.com' }, ['url']],
      [{ path: 'a', authorization: 'x' }, ['authorization']],
      [{ path: 'a', encoding: 'klingon' }, ['encoding']],
      [{ path: 'a', delimiter: 'ab' }, ['delimiter']],
      [{ path: 'a', quote: ',', delimiter: ',' }, ['quote']],
      [{ path: 'a', types: [{ field: 'x', type: 'number' }] }, ['types[0].type']],
      [{ path: 'a', typo: 1 }, ['typo']],
    ];
    for (const [config, expected] of table) assert.deepEqual(faults(config), expected, JSON.stringify(config));
  });
});
