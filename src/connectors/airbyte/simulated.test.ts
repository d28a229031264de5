import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TestClock } from '../../../test/support/airbyte-manifest.ts';
import { sliceFault } from '../../../test/support/airbyte/bounds.ts';
import { sampleManifest } from '../../../test/support/airbyte/sample-manifest.ts';
import { type AirbyteSimulator, startSimulator } from '../../../test/support/airbyte/simulator.ts';
import { openSubject, type Subject, subjectOf } from '../../../test/support/airbyte/subject.ts';
import { ManifestTrial } from '../../../test/support/airbyte/trial.ts';
import { nameOf } from './described.ts';
import { setClock } from './interpolation/macros.ts';
import { read } from './read.ts';

const clock = new TestClock('2026-03-10T12:34:56Z');
let simulator: AirbyteSimulator;
let subject: Subject;

before(async () => {
  setClock(() => clock.now());
  simulator = await startSimulator();
  subject = subjectOf(sampleManifest(), clock.now());
});
after(() => simulator.close());

test('every stream is read in full, twice incrementally, and killed behind every batch, by an API that fails now and then', async () => {
  simulator.refuses = 3;
  const trial = new ManifestTrial(simulator, subject, clock);
  const manifest = trial.open();
  const { readable } = await manifest.streams();
  manifest.close();
  let refused = 0;
  for (const stream of readable.map(nameOf)) {
    const { full, twice, resumed, rows } = await trial.of(stream);
    assert.deepEqual(
      { stream, full, twice: twice ?? undefined, resumed },
      { stream, full: undefined, twice: undefined, resumed: undefined },
    );
    assert.ok(rows > 2, `${stream} has ${rows} rows`);
    refused += simulator.watch.refused;
  }
  assert.ok(refused > 0);
});

test('the second run asks for what is new only', async () => {
  const { notes } = await new ManifestTrial(simulator, subject, clock).of('sliced');
  assert.deepEqual(notes, []);
  const { notes: back } = await new ManifestTrial(simulator, subject, clock).of('looks_back');
  assert.match(back.join(), /looks back/);
});

test('it notices wrong credentials, addresses that are none, pages that were left out, and slices with gaps', async () => {
  simulator.refuses = 0;
  const manifest = openSubject(subject, simulator.port, clock);
  const part = await manifest.stream('by_page');
  simulator.become(manifest.session, part);
  for await (const { position } of read(manifest, { stream: 'by_page', key: ['id'], fields: ['id'], limit: 2 })) assert.ok(position);
  assert.deepEqual(simulator.faults(), []);
  assert.equal(simulator.offered().length - simulator.watch.served.size, 4, 'of seven records, the first page has three');
  const other = openSubject({ ...subject, settings: { ...subject.settings, api_key: 'wrong' } }, simulator.port, clock);
  await assert.rejects(read(other, { stream: 'by_page', key: ['id'], fields: ['id'] }).next(), /401/);
  assert.match(simulator.faults().join(), /x-key/);
  simulator.begin();
  await assert.rejects(read(manifest, { stream: 'by_offset', key: ['id'], fields: ['id'] }).next(), /404/);
  assert.match(simulator.faults().join(), /no such address/);
  manifest.close();
  other.close();
  const slice = (from: number, to: number): { from: bigint; to: bigint } => ({
    from: BigInt(from) * 1_000_000n,
    to: BigInt(to) * 1_000_000n,
  });
  assert.equal(sliceFault([slice(10, 19), slice(0, 9)], 1_000_000n, false), undefined);
  assert.match(sliceFault([slice(0, 9), slice(12, 19)], 1_000_000n, true) ?? '', /gap/);
  assert.match(sliceFault([slice(0, 9), slice(8, 19)], 1_000_000n, false) ?? '', /overlap/);
  assert.equal(sliceFault([slice(0, 9), slice(8, 19)], 1_000_000n, true), undefined);
});
