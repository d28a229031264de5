import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkerOf } from '../../lib/check.ts';
import { Batch } from '../batch.ts';
import { withDefaults } from '../config-values.ts';
import type { Context, ReadRequest, WriteRequest } from '../contract.ts';
import type { Session } from '../session.ts';
import { reachOf } from '../../outside/reach.ts';
import { rootsOf } from '../../outside/roots.ts';
import { connector } from './connector.ts';
import { type FakeConfig, manifest } from './manifest.ts';
import { memoryOf } from './memory.ts';

const FIELDS = [
  { name: 'id', type: 'int64', nullable: false },
  { name: 'name', type: 'text', nullable: true },
] as const;
const READ: ReadRequest = { stream: 'people', fields: ['id', 'name'], key: ['id'], batchBytes: 100 };
const WRITE: WriteRequest = { stream: 'copies', fields: FIELDS, key: ['id'], mode: 'upsert', owner: 'me', token: 1n, create: true };

function open(given: object, signal: AbortSignal = new AbortController().signal): Promise<Session> {
  const config = withDefaults(manifest.config, given) as FakeConfig;
  assert.deepEqual(checkerOf(manifest.config).explain(config), []);
  const context: Context = { reach: reachOf('any'), roots: rootsOf({ folders: [], dataDir: '/nowhere' }), signal };
  return connector.open(config, context);
}

async function count(session: Session, request = READ): Promise<number> {
  let rows = 0;
  for await (const batch of session.read(request)) rows += batch.count;
  return rows;
}

test('rows are given or made, the same each time', async () => {
  const people = { name: 'people', fields: FIELDS, key: ['id'], generate: { count: 100, seed: 7 } };
  const [one, two] = [await open({ name: 'made 1', streams: [people] }), await open({ name: 'made 2', streams: [people] })];
  assert.equal(await count(one), 100);
  assert.deepEqual([...memoryOf({ name: 'made 1' }).table('people').rows], [...memoryOf({ name: 'made 2' }).table('people').rows]);
  assert.equal(await count(two), 100);
});

test('faults strike where and as often as they are told to', async () => {
  const people = {
    name: 'people',
    fields: FIELDS,
    key: ['id'],
    rows: [
      ['1', 'a'],
      ['2', 'x'.repeat(200)],
      ['3', null],
    ],
  };
  const fail = [
    { at: 'check', kind: 'auth', code: 'NO', message: 'Not you.', times: 1 },
    { at: 'read', stream: 'people', after_batches: 1, kind: 'transient', times: 2 },
    { at: 'discover', stream: 'none', kind: 'bug' },
  ];
  const session = await open({ name: 'faults', streams: [people], fail });
  await assert.rejects(session.check(), { kind: 'auth', code: 'NO', message: 'Not you.' });
  assert.match((await session.check()).message, /1 streams/);
  assert.equal((await session.discover()).length, 1);
  for (const _ of [1, 2]) await assert.rejects(count(session), { kind: 'transient', code: 'SCRIPTED' });
  assert.equal(await count(session), 3);
});

test('a commit that fails was made, a write that fails was not', async () => {
  const fail = [
    { at: 'write', kind: 'transient', times: 1 },
    { at: 'commit', kind: 'transient', times: 1 },
  ];
  const session = await open({ name: 'commits', fail });
  const writer = await session.write(WRITE);
  const batch = Batch.ofRows([['1', 'a']], { position: 'here' });
  await assert.rejects(writer.write(batch), { kind: 'transient', code: 'SCRIPTED' });
  assert.equal(memoryOf({ name: 'commits' }).table('copies').rows.size, 0);
  await assert.rejects(writer.write(batch), { kind: 'transient', code: 'SCRIPTED' });
  assert.equal(memoryOf({ name: 'commits' }).table('copies').rows.size, 1);
  assert.equal(memoryOf({ name: 'commits' }).checkpoints.get('me')?.position, 'here');
});

test('a source that hangs, and one without end, stop when they are told to', async () => {
  const people = { name: 'people', fields: FIELDS, key: ['id'], generate: { count: 3 }, endless: true };
  const stop = new AbortController();
  const hanging = await open({ name: 'hang', fail: [{ at: 'check', kind: 'transient', hang: true }] }, stop.signal);
  const check = assert.rejects(hanging.check(), { code: 'ABORTED' });
  stop.abort();
  await check;
  const endless = await open({ name: 'endless', streams: [people] });
  let rows = 0;
  for await (const batch of endless.read(READ)) if ((rows += batch.count) > 1000) break;
  assert.ok(rows > 1000);
  assert.equal(memoryOf({ name: 'endless' }).open, 0);
});
