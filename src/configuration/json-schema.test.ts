import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parseConfigFiles } from './files.ts';
import { configJsonSchema } from './json-schema.ts';
import { lint } from './lint.ts';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

test('the schema that is shipped is the one that is served: npm run config:schema writes it', () => {
  assert.deepEqual(JSON.parse(read('docs/config.schema.json')), JSON.parse(JSON.stringify(configJsonSchema())));
});

test('the file in the documentation is right', async () => {
  const [, text = ''] = /```yaml\n([^]*?)```/.exec(read('docs/configuration.md')) ?? [];
  assert.match(text, /^syncs:$/m);
  assert.deepEqual(lint(await parseConfigFiles([{ file: 'configuration.md', text }]), true), []);
});
