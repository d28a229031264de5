import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { keyringOf } from './keyring-file.ts';

const [NODES, ROUNDS] = [6, 40];

/** Waits until all are there, and then makes the ring of each folder in the same moment as the others. */
const NODE = `
  const { parentPort, workerData } = require('node:worker_threads');
  import(workerData.module).then(({ keyringOf }) => {
    const here = new Int32Array(workerData.here);
    const keys = workerData.folders.map((folder, round) => {
      Atomics.add(here, 0, 1);
      while (Atomics.load(here, 0) < (round + 1) * workerData.nodes);
      try {
        return keyringOf(undefined, folder).current;
      } catch (error) {
        return error.message;
      }
    });
    parentPort.postMessage(keys);
  });`;

test('nodes that start at once in one folder share one key, and none sees a part of it', { timeout: 60_000 }, async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'syncline-test-'));
  t.after(() => rmSync(root, { recursive: true }));
  const folders = Array.from({ length: ROUNDS }, (_, round) => join(root, String(round)));
  const workerData = {
    folders,
    nodes: NODES,
    here: new SharedArrayBuffer(4),
    module: import.meta.resolve('./keyring-file.ts'),
  };
  const told = await Promise.all(
    Array.from(
      { length: NODES },
      () =>
        new Promise<string[]>((resolve, reject) => {
          new Worker(NODE, { eval: true, workerData }).once('message', resolve).once('error', reject);
        }),
    ),
  );
  for (const [round, folder] of folders.entries()) {
    assert.deepEqual([...new Set(told.map((keys) => keys[round]))], [keyringOf(undefined, folder).current]);
    assert.deepEqual(readdirSync(folder), ['secret-key']);
    assert.equal(statSync(join(folder, 'secret-key')).mode & 0o777, 0o600);
  }
});
