import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runStatement } from '../../test/support/commands.ts';
import { createPlace, onBothEngines } from '../../test/support/databases.ts';
import { createLog } from '../lib/log.ts';
import { names } from './migrations/0024_names.ts';
import { openDatabase } from './open.ts';
import { sql } from './sql.ts';

onBothEngines('names', (engine) => {
  test('that were given twice are told apart, and a name of a revoked key counts for nothing', async () => {
    const place = await createPlace(engine);
    const db = await openDatabase({ ...place, poolSize: 2 }, createLog('silent'));
    const run = (statement: string): Promise<unknown> => db.write(runStatement, statement);
    try {
      for (const table of ['sources', 'syncs', 'hooks', 'webhooks', 'alerts', 'keys']) await run(`drop index ${table}_name`);
      for (const [at, name] of ['shop', 'shop', 'shop (2)', 'shop', 'other'].entries())
        await run(`insert into sources (id, name, type, config, status, version, created_at, updated_at)
          values ('src_${at}', '${name}', 'fake', '{}', 'ok', 1, 'x', 'x')`);
      for (const [at, revoked] of ['null', "'x'", 'null'].entries())
        await run(`insert into keys (id, name, scopes, created_at, revoked_at) values ('key_${at}', 'web', '[]', 'x', ${revoked})`);
      for (const statement of names.statements({} as never, engine)) await run(statement);
      const named = async (table: 'sources' | 'keys'): Promise<string[]> => {
        const query = table === 'sources' ? sql`select name from sources order by id` : sql`select name from keys order by id`;
        return (await db.read.all<{ name: string }>(query)).map(({ name }) => name);
      };
      assert.deepEqual(await named('sources'), ['shop', 'shop (2)', 'shop (2) (src_2)', 'shop (3)', 'other']);
      assert.deepEqual(await named('keys'), ['web', 'web', 'web (2)']);
      await assert.rejects(run(`update sources set name = 'shop' where id = 'src_4'`));
    } finally {
      await db.close();
      await place.remove();
    }
  });
});
