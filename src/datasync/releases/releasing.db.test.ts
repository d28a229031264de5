import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines, openTestDatabase } from '../../../test/support/databases.ts';
import { oweReleaseOf } from '../../../test/support/commands.ts';
import { until } from '../../../test/support/until.ts';
import { first } from '../../db/database.ts';
import { sql } from '../../db/sql.ts';
import { systemClock } from '../../lib/clock.ts';
import { createLog } from '../../lib/log.ts';
import { OutsideError } from '../../outside/errors.ts';
import { startReleasing } from './releasing.ts';

onBothEngines('what sources are to forget', (engine) => {
  test('one that cannot be reached, or cannot even be asked, holds up no other', async () => {
    const db = await openTestDatabase(engine);
    // More than are tried at once stand before the one that can be done.
    const names = [...Array.from({ length: 25 }, (_, n) => `broken_${n}`), 'away', 'there'];
    for (const [n, id] of names.entries()) await db.write(oweReleaseOf, { id, secrets: null, now: systemClock() + n });
    const told: { level: string; message: string }[] = [];
    const duty = startReleasing({
      node: 'one',
      db,
      clock: systemClock,
      log: createLog('silent'),
      logs: { add: (entry) => void told.push(entry) },
      sources: {
        configOf: ({ name }) => {
          if (name.startsWith('broken')) throw new Error('a fault of ours');
          return { name };
        },
      },
      prober: {
        ask: async (_, config) => {
          if ((config as { name: string }).name === 'away') throw new OutsideError('transient', 'AWAY', 'It is away.');
          return null as never;
        },
      },
    });
    const left = async (): Promise<number> => (await first<{ n: number }>(db.read, sql`select count(*) as n from log_releases`))?.n ?? 0;
    await until('the one that is there', async () => (await left()) === names.length - 1);
    await duty.stop();
    assert.ok(told.some(({ level, message }) => level === 'info' && message.includes('"there"')));
    assert.ok(told.some(({ level, message }) => level === 'warn' && message.includes('"away"') && message.includes('It is away.')));
    const tried = await first<{ n: number }>(db.read, sql`select count(*) as n from log_releases where attempts > 0`);
    assert.equal(tried?.n, names.length - 1);
    await db.close();
  });
});
