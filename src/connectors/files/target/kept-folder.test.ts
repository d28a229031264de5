// What Syncline keeps beside written files decides what it does to files next: nobody else's word counts there.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { filesFolder } from '../../../../test/support/files-folder.ts';
import { Batch } from '../../batch.ts';
import type { WriteRequest } from '../../contract.ts';
import type { Session } from '../../session.ts';

const folder = filesFolder();
after(() => folder.remove());

const request = (stream: string, change: Partial<WriteRequest> = {}): WriteRequest => ({
  stream,
  fields: [{ name: 'id', type: 'int64', nullable: false }],
  key: [],
  mode: 'append',
  owner: 'me',
  token: 1n,
  create: true,
  ...change,
});

async function write(session: Session, what: WriteRequest): Promise<void> {
  const writer = await session.write(what);
  try {
    await writer.write(Batch.ofRows([['1']], { position: '1' }));
    await writer.finish();
  } finally {
    await writer.close();
  }
}

/** The folder of one work among what is kept. */
function workIn(kept: string): string {
  return readdirSync(kept).find((name) => !name.endsWith('.json')) ?? '';
}

describe('the folder that Syncline keeps beside written files', () => {
  test('is no place for a source: neither by its name, nor by a pattern, a link or another spelling', async () => {
    await write(await folder.session({ path: 'kept/' }), request('out'));
    const kept = join('kept', '.syncline');
    const work = workIn(join(folder.root, kept));
    const state = join(kept, work, '1.json');
    assert.ok(existsSync(join(folder.root, state)));
    symlinkSync('.syncline', join(folder.root, 'kept', 'link'));
    for (const path of [
      kept,
      `${kept}/`,
      state,
      `${kept}/new.csv`,
      `${kept}/new/deep.csv`,
      `kept/../${state}`,
      `kept/link/${work}/1.json`,
      'kept/link',
    ])
      for (const attempt of [
        async () => (await folder.session({ path, format: 'jsonl' })).discover(),
        async () => write(await folder.session({ path, format: 'jsonl' }), request('1')),
      ])
        await assert.rejects(attempt, { code: 'PATH_REFUSED' }, path);
    // A pattern passes it by.
    for (const path of [`${kept}/*/*`, '*/.syncline/*/*.json', '**/.syncline/**'])
      await assert.rejects(() => folder.read({ path, format: 'jsonl' }), { code: 'PATH_REFUSED' }, path);
    for (const path of ['kept/.s*/*/*', '**/.s*/**', '*/[.]syncline/*/*', 'kept/{.syncline,other}/*/*'])
      assert.deepEqual((await folder.read({ path, format: 'jsonl' })).rows, [], path);
  });

  const DAMAGED = [
    { final: '../../../elsewhere.csv' },
    { final: '/elsewhere.csv' },
    { final: '..' },
    { final: 7 },
    { segments: [{ name: '../../../elsewhere.csv', bytes: 4 }], rows: 1 },
    { segments: [{ name: '1-0123456789ab.lines', bytes: 'many' }], rows: 1 },
    { segments: {} },
    { digits: 7 },
    { published: 7 },
  ];
  for (const [at, damage] of DAMAGED.entries())
    test(`is not believed when it says ${JSON.stringify(damage)}`, async () => {
      const path = join(folder.root, `believed-${at}`);
      mkdirSync(path);
      writeFileSync(join(path, 'elsewhere.csv'), 'id\n5\n');
      const session = await folder.session({ path: `believed-${at}/` });
      await write(session, request('out'));
      const kept = join(path, '.syncline');
      const work = workIn(kept);
      const state = join(kept, work, '1.json');
      writeFileSync(state, JSON.stringify({ ...JSON.parse(readFileSync(state, 'utf8')), ...damage }));
      await assert.rejects(() => write(session, request('out', { token: 2n })), { code: 'STAGE_LOST', kind: 'transient' });
      assert.equal(readFileSync(join(path, 'elsewhere.csv'), 'utf8'), 'id\n5\n');
      assert.equal(readFileSync(join(path, 'out.csv'), 'utf8'), 'id\n1\n');
    });
});
