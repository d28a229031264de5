// What the documents tell the reader to write is accepted as it stands there.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { checkerOf } from '../../lib/check.ts';
import { withDefaults } from '../config-values.ts';
import { ConfigSchema } from './config/config.ts';
import { validate } from './config/validate.ts';

const checker = checkerOf(ConfigSchema);

function examplesIn(path: string): Record<string, unknown>[] {
  const text = readFileSync(new URL(path, import.meta.url), 'utf8');
  return [...text.matchAll(/```json\n([^`]*)```/g)].map(([, json = '']) => JSON.parse(json) as Record<string, unknown>);
}

/** An example may be a part of a declaration: the credentials, a stream, a lookup. */
function wholeOf(example: Record<string, unknown>): unknown {
  if ('base_url' in example) return example;
  const base = { base_url: 'https://api.example.com' };
  if ('type' in example) return { ...base, auth: example, streams: [{ name: 's', path: '/s' }] };
  if ('into' in example) return { ...base, streams: [{ name: 's', write: { path: '/s/{id}', lookups: [example] } }] };
  const from = (example['from'] as { stream?: string } | undefined)?.stream;
  return { ...base, streams: [example, ...(from === undefined ? [] : [{ name: from, path: '/x' }])] };
}

describe('the examples of the documents', () => {
  for (const path of ['README.md', '../../../docs/vendure.md'])
    for (const [at, example] of examplesIn(path).entries())
      test(`${path}, number ${at + 1}`, () => {
        const config = wholeOf(example);
        assert.deepEqual(checker.explain(config), []);
        assert.deepEqual(validate(withDefaults(ConfigSchema, config) as never), []);
      });
});
