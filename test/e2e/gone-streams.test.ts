import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { onEitherEngine } from '../support/databases.ts';
import { addSource, ask, runToEnd, sqliteFile } from '../support/real-syncs.ts';
import { type Reply, type Service, startService } from '../support/service.ts';
import { edit } from '../dashboard/support/sample-world.ts';

onEitherEngine('a table that is gone', (engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine);
  });
  after(() => service.close());

  const put = (id: string, body: unknown): Promise<Reply> => service.call('PUT', `/api/v1/datasync/sync/${id}`, { body });
  const makeSync = async (name: string) => {
    const file = sqliteFile(service.place, `${name}.db`);
    for (const table of ['a', 'b', 'c']) edit(file, `create table ${table} (id integer primary key, v text, "on" boolean)`);
    const source_id = await addSource(service, 'sqlite', { path: file }, `from ${name}`);
    const target_id = await addSource(service, 'sqlite', { path: sqliteFile(service.place, `${name}-to.db`) }, `to ${name}`);
    const filter = [{ field: 'on', op: '=', value: true }];
    const streams = [{ source: 'a' }, { source: 'b', fields: [{ from: 'id' }, { from: 'v' }] }, { source: 'c', filter }];
    return { file, sync: await ask(service, 'POST', '/sync', { name, source_id, target_id, streams }) };
  };

  test('is named in words by the run that misses it, and is taken out of the synchronization', async () => {
    const { file, sync } = await makeSync('one');
    edit(file, 'drop table a', 'alter table b drop column v');
    const run = await runToEnd(service, sync.id);
    const messages = Object.fromEntries(
      run.streams.map((stream: { name: string; error: { message: string } | null }) => [stream.name, stream.error?.message]),
    );
    assert.equal(messages['a'], 'The stream "a" does not fit any more: it does not exist at the source.');
    assert.equal(
      messages['b'],
      'The stream "b" does not fit any more: the field "v" names "v", which "b" does not have. It has "id" and "on".',
    );
    // For people in words, for programs by its place.
    assert.doesNotMatch(JSON.stringify([messages, run.error.message, run.error.hint]), /streams\[|fields\[/);
    const places = run.streams.map(({ error }: { error: { end: string; field: string } | null }) => error && [error.end, error.field]);
    assert.deepEqual(places, [['source', 'streams[0].source'], ['source', 'streams[1].fields[1].from'], null]);
    const [, b, c] = sync.streams;
    // The rest is held against the systems only when it is changed.
    const refused = await put(sync.id, { streams: [sync.streams[0], { ...c, mode: 'append', cursor: 'id', deletes: 'keep' }] });
    assert.equal(refused.body.error.details.field, 'streams[0].source');
    assert.deepEqual((await put(sync.id, { streams: [b, c] })).body.data.streams, [b, c]);
    const mended = { ...b, fields: [{ from: 'id', to: 'id' }] };
    assert.deepEqual((await put(sync.id, { streams: [mended, c] })).body.data.streams, [mended, c]);
    assert.equal((await runToEnd(service, sync.id)).status, 'succeeded');
  });

  test('is taken out also while its system cannot be reached; what would need a look at the system is refused in words', async () => {
    const { file, sync } = await makeSync('two');
    rmSync(file);
    const [a, , c] = sync.streams;
    const added = await put(sync.id, { streams: [a, c, { source: 'd' }] });
    assert.equal(added.status, 409, added.text);
    assert.match(added.body.error.message, /^The source "from two" cannot be used: /);
    const { cursor: _cursor, fields: _fields, ...sent } = c;
    const taken = await put(sync.id, { streams: [sent] });
    assert.equal(taken.status, 200, taken.text);
    assert.deepEqual(taken.body.data.streams, [c]);
    assert.deepEqual(c.filter, [{ field: 'on', op: '=', value: 'true' }]);
  });

  for (const [type, name, at] of [
    ['sqlite', 'its file', { path: 'away.db' }],
    ['files', 'its folder', { path: 'away' }],
  ] as const)
    test(`is not told where all of its source is away: ${name} is named (${type})`, async () => {
      const place = sqliteFile(service.place, at.path);
      if (type === 'sqlite') edit(place, 'create table a (id integer primary key)');
      else {
        rmSync(place);
        mkdirSync(place);
        writeFileSync(join(place, 'a.csv'), 'id\n1\n');
      }
      const source_id = await addSource(service, type, { path: place }, `away ${type}`);
      const target_id = await addSource(service, 'sqlite', { path: sqliteFile(service.place, `${type}-of-away.db`) }, `of away ${type}`);
      const sync = await ask(service, 'POST', '/sync', { name: `away ${type}`, source_id, target_id, streams: [{ source: 'a' }] });
      assert.equal((await runToEnd(service, sync.id)).status, 'succeeded');
      rmSync(place, { recursive: true });
      const { error, streams } = await runToEnd(service, sync.id);
      assert.equal(error.code, 'FILE_MISSING', JSON.stringify(error));
      assert.match(error.message, new RegExp(`^Source "away ${type}": There is no (file|folder) ".*away`));
      assert.doesNotMatch(JSON.stringify([error, streams]), /DEFINITION_UNFIT|does not exist at the source/);
      const listed = await service.get(`/api/v1/datasync/sources/${source_id}/streams`);
      assert.equal(listed.status, 409, listed.text);
    });
});
