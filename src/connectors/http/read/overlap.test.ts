import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sendJson } from '../../../../test/support/api-server.ts';
import { readAll } from '../../../../test/support/http-connector.ts';
import { useApis } from '../../../../test/support/served-apis.ts';

const { open } = useApis();

test('what lies in the overlap is given again, and known again unless it changed', async () => {
  const at = (milliseconds: number): string => new Date(1_790_000_000_000 + milliseconds).toISOString();
  const all = [0, 700, 1500, 2500, 2500, 3000].map((moment, id) => ({ id, at: at(moment), name: 'x' }));
  const { api, session } = await open(
    // It leaves out what changed at the very moment that it is asked for.
    ({ url }, response) =>
      sendJson(response, { data: all.filter((record) => Date.parse(record.at) > Date.parse(url.searchParams.get('after') ?? '1970')) }),
    {
      path: '/s',
      records: 'data',
      key: ['id'],
      fields: [
        { name: 'id', type: 'int64' },
        { name: 'at', type: 'timestamptz' },
        { name: 'name', type: 'text' },
      ],
      incremental: { field: 'at', param: 'after', format: 'iso', overlap: 1 },
    },
  );
  const reading = { stream: 's', fields: ['id', 'at', 'name'], key: ['id'], cursor: 'at' };
  const first = await readAll(session, reading);
  assert.equal(first.rows.length, 6);
  const second = await readAll(session, { ...reading, after: first.position });
  assert.equal(api.received.at(-1)?.url.searchParams.get('after'), at(2000).replace('.000', ''), 'a second more than is new');
  assert.deepEqual(second.rows, []);
  // One that was late, one that changed without its time, and one that is new.
  all.push({ id: 7, at: at(2600), name: 'late' }, { id: 8, at: at(4000), name: 'new' });
  Object.assign(all[4] ?? {}, { name: 'changed' });
  const third = await readAll(session, { ...reading, after: second.position });
  assert.deepEqual(
    third.rows.map(([id]) => Number(id)).sort((a, b) => a - b),
    [4, 7, 8],
  );
  assert.deepEqual((await readAll(session, { ...reading, after: third.position })).rows, []);
});
