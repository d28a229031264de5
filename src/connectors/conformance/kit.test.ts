import assert from 'node:assert/strict';
import { test } from 'node:test';
import { harness } from '../fake/harness.ts';
import { runCase } from '../conformance.ts';
import { describeCases } from './describe.ts';
import type { Harness } from './harness.ts';
import { type Case, Kit } from './kit.ts';
import { readCases } from './read.ts';

const { connector } = harness;
const reader = {
  ...harness,
  connector: { ...connector, manifest: { ...connector.manifest, abilities: { ...connector.manifest.abilities, write: [] } } },
};
const kitOf = (of: typeof reader, system: Awaited<ReturnType<(typeof harness)['start']>>): Kit =>
  new Kit(of as unknown as Harness, system as never);
const byName = (cases: readonly Case[], name: RegExp): Case => cases.find((one) => name.test(one.name)) ?? assert.fail(`no case ${name}`);

test('who only reads and has a harness that makes nothing is told what the harness has to give', async () => {
  const kit = kitOf(reader, await harness.start());
  await assert.rejects(kit.stream(1), /by "create"/);
  const stream = { name: 'any', fields: kit.shape.fields, key: kit.shape.key, rows: [] };
  await assert.rejects(kit.change(stream, { put: [kit.shape.row(1)] }), /by "change"/);
});

test('who has fixed streams and does not say so is told where to say it', async () => {
  const system = { ...(await harness.start()), create: async () => {} };
  await assert.rejects(
    runCase(byName(describeCases, /^discovery tells/), reader, system),
    /Where streams are fixed, the harness names one in "shape"/,
  );
});

test('a case that needs streams of other fields says that it had none', async () => {
  const shape = { ...new Kit(harness as unknown as Harness, {} as never).shape, stream: 'events' };
  const { notes, hasTried } = await runCase(byName(readCases, /^resuming without a key/), { ...harness, shape }, await harness.start());
  assert.deepEqual(
    [notes, hasTried],
    [['not tried with streams of other fields: the harness says that "events" is the only stream'], false],
  );
});
