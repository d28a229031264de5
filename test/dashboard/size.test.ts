import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { test } from 'node:test';

interface Chunk {
  file: string;
  imports?: string[];
}

const BUILT = 'dashboard/dist';
const BUDGET = 300_000;

test('what the overview needs is small: 300 kB of JavaScript at most, as it is sent', () => {
  const manifest = JSON.parse(readFileSync(`${BUILT}/.vite/manifest.json`, 'utf8')) as Record<string, Chunk>;
  const needed = new Set<string>();
  const need = (name: string): void => {
    const chunk = manifest[name];
    assert.ok(chunk, `${name} is in the manifest`);
    if (needed.has(chunk.file)) return;
    needed.add(chunk.file);
    for (const other of chunk.imports ?? []) need(other);
  };
  for (const entry of ['index.html', 'src/parts/chart/drawn-bars.tsx', 'src/shell/shown-notices.tsx']) need(entry);
  const size = [...needed].filter((file) => file.endsWith('.js')).reduce((sum, file) => sum + statSync(`${BUILT}/${file}.gz`).size, 0);
  assert.ok(size > 50_000, 'the files are found at all');
  assert.ok(size <= BUDGET, `${size} bytes`);
});
