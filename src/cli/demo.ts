import { relative } from 'node:path';
import { adminKeyFile } from '../keys/admin-key.ts';
import type { Config } from '../config.ts';
import { type Database, first } from '../db/database.ts';
import { sql } from '../db/sql.ts';
import { ORDER_STATUSES } from '../shop/orders/rules.ts';
import { amount } from './shown/amounts.ts';
import { readArguments, wholeNumber } from './arguments/arguments.ts';
import { CATALOGUE } from '../sample/catalogue.ts';
import { type Day, tellStory } from './demo/story.ts';
import { writeDays } from './demo/write-days.ts';
import { CliError } from './errors.ts';
import { withDatabase } from './own-database.ts';
import { table } from './shown/table.ts';

const DEFAULTS = { orders: '3000', products: '72', seed: 'syncline' };
const MAX_ORDERS = 1_000_000;
// How many changes are written together.
const TRANSACTION = 1000;

/** Fills the database with half a year of a believable shop. */
export async function demo(args: string[], config: Config): Promise<number> {
  const text = { type: 'string' } as const;
  const { values } = readArguments(args, { orders: text, products: text, seed: text, add: { type: 'boolean' } });
  const orders = wholeNumber('orders', values.orders ?? DEFAULTS.orders, 1, MAX_ORDERS);
  const products = wholeNumber('products', values.products ?? DEFAULTS.products, 1, CATALOGUE.length);
  const { seed = DEFAULTS.seed } = values;
  await withDatabase(config, async (db) => {
    const existing = await countRows(db);
    if (existing.orders + existing.products > 0 && !values.add) {
      throw new CliError(
        `There are ${amount(existing.orders, 'order')} and ${amount(existing.products, 'product')} already. Nothing was changed. ` +
          'Add the demo to them with --add, or set SYNCLINE_DATA_DIR to another folder.',
      );
    }
    // What is added is another story, or it would bring the same order numbers again.
    const chapter = existing.orders === 0 ? seed : `${seed} ${existing.orders}`;
    await write(
      db,
      tellStory({ orders, products, seed: chapter, now: Date.now(), currency: config.currency, tracks: existing.orders === 0 }),
    );
    process.stdout.write(await summary(db, config));
  });
  return 0;
}

async function write(db: Database, story: Iterable<Day>): Promise<void> {
  let days: Day[] = [];
  let size = 0;
  for (const day of story) {
    days.push(day);
    size += day.drafts.length + day.moves.length + day.patches.length;
    if (size < TRANSACTION) continue;
    await db.write(writeDays, days);
    days = [];
    size = 0;
  }
  await db.write(writeDays, days);
}

async function countRows(db: Database): Promise<{ orders: number; products: number }> {
  const query = sql`select (select count(*) from orders) as orders, (select count(*) from products) as products`;
  return (await first(db.read, query)) ?? { orders: 0, products: 0 };
}

async function summary(db: Database, config: Config): Promise<string> {
  const { orders, products } = await countRows(db);
  const states = await db.read.all<{ status: string; n: number }>(sql`select status, count(*) as n from orders group by status`);
  const countOf = (status: string): string => (states.find((row) => row.status === status)?.n ?? 0).toLocaleString('en');
  const rows = ORDER_STATUSES.map((status) => [status, countOf(status).padStart('ORDERS'.length)]);
  const keyFile = adminKeyFile(config.dataDir);
  const shortest = [relative('', keyFile), keyFile].reduce((a, b) => (a.length < b.length ? a : b));
  return `The shop has ${amount(products, 'product')} and ${amount(orders, 'order')} of the last six months:

${indent(table(['STATE', 'ORDERS'], rows))}
Look at it: start the service with \`${startOf(config)}\`, then
  curl ${config.tls ? '--insecure ' : ''}-H "Authorization: Bearer $(cat ${shortest})" "${config.tls ? 'https' : 'http'}://127.0.0.1:${config.port}/api/v1/orders?status=on_hold&expand=all"
`;
}

/** The data directory may have been named for this command alone. */
function startOf({ dataDir }: Config): string {
  const folder = relative('', dataDir);
  return folder === 'data' ? 'npm start' : `SYNCLINE_DATA_DIR=${folder.startsWith('..') ? dataDir : folder} npm start`;
}

function indent(text: string): string {
  return text.replace(/^(?=.)/gm, '  ');
}
