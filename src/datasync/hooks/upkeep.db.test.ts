import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onBothEngines, type Place, preparedPlace } from '../../../test/support/databases.ts';
import { insertCalls } from '../../../test/support/hook-calls.ts';
import type { Database } from '../../db/database.ts';
import { openDatabase } from '../../db/open.ts';
import { sql } from '../../db/sql.ts';
import { actorCalled } from '../../http/caller.ts';
import { isoTime } from '../../lib/clock.ts';
import { createLog } from '../../lib/log.ts';
import { type Keyring, keyIdOf, newKeyText, parseKeyring } from '../../lib/secrets.ts';
import { createHook } from './commands.ts';
import { forgetCalls, forgetTokens } from './forget.ts';
import { openSecrets, sealSecrets } from './known-hooks.ts';
import { findHook, findHookByToken, type HookRow } from './queries.ts';
import { receiveCalls } from './receive.ts';
import { createHookService } from './service.ts';

const NOW = Date.UTC(2026, 10, 1);
const MINUTE = 60_000;

onBothEngines('the upkeep of hooks', (engine) => {
  let place: Place;
  let db: Database;
  before(async () => {
    place = await preparedPlace(engine);
    db = await openDatabase({ ...place, poolSize: 2 }, createLog('silent'));
  });
  after(async () => {
    await db.close();
    await place.remove();
  });

  const by = { actor: actorCalled('a test'), scopes: new Set(['admin'] as const), now: NOW };
  const make = (id: string, secrets: string | null): Promise<HookRow> =>
    db.write(createHook, { ...by, id, name: id, scheme: 'github', header: null, secrets, syncId: null, tokenHash: `hash of ${id}` });
  const rowOf = async (id: string): Promise<HookRow> => (await findHook(db.read, id)) as HookRow;

  test('old calls are forgotten in bites, of all hooks; the numbers go on, and an id that was forgotten is new', async () => {
    const call = (seq: number) => ({
      seq,
      senderId: `message ${seq}`,
      receivedAt: isoTime(NOW + seq * MINUTE),
      headers: '{}',
      body: `${seq}`,
      encoding: 'utf8' as const,
    });
    const hooks = ['hok_forgets1', 'hok_forgets2'];
    for (const hookId of hooks) await db.write(insertCalls, { hookId, calls: Array.from({ length: 10 }, (_, n) => call(n + 1)) });
    // The call of that very moment is kept.
    const before = isoTime(NOW + 8 * MINUTE);
    const bites: number[] = [];
    do bites.push(await db.write(forgetCalls, { before, most: 4 }));
    while (bites.at(-1) === 4);
    assert.deepEqual(bites, [4, 4, 4, 2]);
    assert.equal(await db.write(forgetCalls, { before, most: 4 }), 0);
    const kept = await db.read.all<{ hook_id: string; seq: number }>(
      sql`select hook_id, seq from hook_calls where hook_id like 'hok_forgets%' order by hook_id, seq`,
    );
    assert.deepEqual(
      kept,
      hooks.flatMap((hook_id) => [8, 9, 10].map((seq) => ({ hook_id, seq }))),
    );
    const again = (n: number) => ({ hookId: 'hok_forgets1', senderId: `message ${n}`, headers: '{}', body: '', encoding: 'utf8' as const });
    const { received } = await db.write(receiveCalls, { at: isoTime(NOW + 20 * MINUTE), calls: [again(7), again(8)] });
    assert.deepEqual(received, [
      { seq: 11, duplicate: false },
      { seq: 8, duplicate: true },
    ]);
    assert.equal(await db.write(forgetCalls, { before: '9999', most: 100 }), 7);
    assert.equal((await rowOf('hok_forgets1')).calls, 11, 'how many there were is still known');
  });

  test('addresses that were replaced are forgotten when they have expired, others are not', async () => {
    await make('hok_rotated', null);
    const service = createHookService({ db, clock: () => NOW, log: createLog('silent'), keyring: parseKeyring(newKeyText()) });
    const caller = { actor: () => by.actor, scopes: by.scopes } as unknown as Parameters<typeof service.rotate>[0];
    await service.rotate(caller, 'hok_rotated', { overlapSeconds: 60, secret: undefined });
    const tokens = async (): Promise<number> => (await db.read.all(sql`select hash from hook_tokens where hook_id = 'hok_rotated'`)).length;
    await db.write(forgetTokens, { now: isoTime(NOW + MINUTE) });
    assert.equal(await tokens(), 2);
    await db.write(forgetTokens, { now: isoTime(NOW + MINUTE + 1) });
    assert.equal(await tokens(), 1);
    assert.equal(await findHookByToken(db.read, 'hash of hok_rotated', isoTime(NOW)), undefined);
  });

  test('secrets are encrypted anew with the first key, also beside some that cannot be read', async () => {
    const [lost, old, fresh] = [newKeyText(), newKeyText(), newKeyText()];
    const secrets = [
      { secret: 'replaced', created_at: isoTime(NOW), expires_at: isoTime(NOW + MINUTE) },
      { secret: 'current', created_at: isoTime(NOW), expires_at: null },
    ];
    const sealed = (key: string, id: string): string | null => sealSecrets(parseKeyring(key), id, secrets);
    await make('hok_a_lost', sealed(lost, 'hok_a_lost'));
    await make('hok_b_old', sealed(old, 'hok_b_old'));
    await make('hok_c_fresh', sealed(fresh, 'hok_c_fresh'));
    await make('hok_d_none', null);
    const ids = ['hok_a_lost', 'hok_b_old', 'hok_c_fresh', 'hok_d_none'];
    const rows = (): Promise<HookRow[]> => Promise.all(ids.map(rowOf));
    const earlier = await rows();
    const renew = (keyring: Keyring): Promise<void> =>
      createHookService({ db, clock: () => NOW, log: createLog('silent'), keyring }).renewSecrets();
    await renew(parseKeyring(`${fresh},${old}`));
    const later = await rows();
    const alone = parseKeyring(fresh);
    assert.deepEqual(openSecrets(alone, later[1] as HookRow), secrets);
    assert.equal(keyIdOf(later[1]?.secrets ?? ''), alone.current);
    // Nothing else about it changes, and nothing at all about the others.
    assert.deepEqual({ ...later[1], secrets: null }, { ...earlier[1], secrets: null });
    for (const n of [0, 2, 3]) assert.deepEqual(later[n], earlier[n]);
    await renew(parseKeyring(`${fresh},${lost}`));
    assert.deepEqual(openSecrets(alone, await rowOf('hok_a_lost')), secrets);
  });
});
