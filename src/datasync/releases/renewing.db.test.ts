import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oweReleaseOf } from '../../../test/support/commands.ts';
import { onBothEngines, openTestDatabase } from '../../../test/support/databases.ts';
import { sql } from '../../db/sql.ts';
import { createLog } from '../../lib/log.ts';
import { keyIdOf, newKeyText, parseKeyring } from '../../lib/secrets.ts';
import { renewReleases } from './renewing.ts';
import type { ReleaseRow } from './rows.ts';

const NOW = Date.UTC(2026, 3, 1);

onBothEngines('the way to sources that are still to forget something', (engine) => {
  test('is encrypted anew with the first key, also beside one that cannot be read', async () => {
    const db = await openTestDatabase(engine);
    const [lost, old, fresh] = [newKeyText(), newKeyText(), newKeyText()];
    const secrets = JSON.stringify({ password: 'a word' });
    const owe = (id: string, key?: string) =>
      db.write(oweReleaseOf, { id, secrets: key === undefined ? null : parseKeyring(key).encrypt(secrets, id), now: NOW });
    await owe('src_a_lost', lost);
    await owe('src_b_old', old);
    await owe('src_c_fresh', fresh);
    await owe('src_d_none');
    const rows = async (): Promise<ReleaseRow[]> =>
      (await db.read.all<ReleaseRow>(sql`select * from log_releases`)).sort((a, b) => (a.id < b.id ? -1 : 1));
    const earlier = await rows();
    const renew = (keys: string): Promise<void> => renewReleases({ db, log: createLog('silent'), keyring: parseKeyring(keys) });
    await renew(`${fresh},${old}`);
    const later = await rows();
    const alone = parseKeyring(fresh);
    assert.equal(alone.decrypt(later[1]?.secrets ?? '', 'src_b_old'), secrets);
    assert.equal(keyIdOf(later[1]?.secrets ?? ''), alone.current);
    // Nothing else about it changes, and nothing at all about the others.
    assert.deepEqual({ ...later[1], secrets: null }, { ...earlier[1], secrets: null });
    for (const n of [0, 2, 3]) assert.deepEqual(later[n], earlier[n]);
    await renew(`${fresh},${lost}`);
    assert.equal(alone.decrypt((await rows())[0]?.secrets ?? '', 'src_a_lost'), secrets);
    await db.close();
  });
});
