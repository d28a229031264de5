import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onEitherEngine, openTestDatabase } from '../../../test/support/databases.ts';
import { until } from '../../../test/support/until.ts';
import type { Connection, Database } from '../../db/database.ts';
import { createLocalHints } from '../../jobs/hints.ts';
import { createLog } from '../../lib/log.ts';
import { newKeyText, parseKeyring } from '../../lib/secrets.ts';
import { startDeliveries } from './deliveries.ts';
import { DeliveryFigures } from './figures.ts';

onEitherEngine('deliveries without an endpoint', (engine) => {
  let db: Database;
  before(async () => {
    db = await openTestDatabase(engine);
  });
  after(() => db.close());

  test('ask nothing of the database for what happens in the shop, and look again when an endpoint may have come', async () => {
    const looks = { count: 0 };
    const all: Connection['all'] = (query) => {
      if (query.strings[0]?.includes('webhook_state')) looks.count++;
      return db.read.all(query);
    };
    const hints = createLocalHints();
    const deliveries = startDeliveries({
      node: 'n',
      db: { ...db, read: { engine: db.read.engine, all } },
      keyring: parseKeyring(newKeyText()),
      clock: () => Date.now(),
      log: createLog('silent'),
      hints,
      networks: '',
      whole: async (_db, events) => [...events],
      veil: async (_db, _asking, events) => [...events],
      figures: new DeliveryFigures(),
    });
    await until('the first look', () => looks.count === 1);
    for (let order = 0; order < 100; order++) {
      hints.tell('shop');
      await new Promise(setImmediate);
    }
    assert.equal(looks.count, 1);
    hints.tell('webhooks');
    await until('the second look', () => looks.count === 2);
    await deliveries.close();
  });
});
