import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Command } from './database.ts';

// The writer's thread of SQLite imports a command's module and looks for the command under its name. One that is under
// another name would fail there, and only there.

const files = globSync('src/**/*.ts').filter(
  (file) => !file.endsWith('.test.ts') && /\bcommand\(\s*import\.meta/.test(readFileSync(file, 'utf8')),
);

test('there are commands to look at', () => {
  assert.ok(files.length >= 4, files.join());
});

for (const file of files) {
  test(`every command of ${file} is exported under its own name`, async () => {
    const url = pathToFileURL(file).href;
    const exported = Object.entries((await import(url)) as Record<string, unknown>).filter(([, value]) => isCommand(value));
    for (const [name, value] of exported) {
      assert.deepEqual([(value as Command<unknown, unknown>).name, (value as Command<unknown, unknown>).module], [name, url]);
    }
    const made = readFileSync(file, 'utf8').match(/\bcommand\(\s*import\.meta/g) ?? [];
    assert.equal(exported.length, made.length, `${basename(file)} makes commands that it does not export`);
  });
}

function isCommand(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'module' in value && 'run' in value;
}
