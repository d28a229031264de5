import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tellStory } from '../../../src/cli/demo/story.ts';
import { writeDays } from '../../../src/cli/demo/write-days.ts';
import { addSource, ask, reaches, runToEnd, sqliteFile } from '../../support/real-syncs.ts';
import type { Service } from '../../support/service.ts';
import { addPastRuns, edit } from './sample-world.ts';

export interface CalmWorld {
  warehouse: string;
  crm: string;
  customers: string;
}

export interface TourWorld extends CalmWorld {
  failedRun: string;
  askingRun: string;
  survey: string;
}

const FIRST = ['Ada', 'Emmy', 'Alan', 'Grace', 'Katherine', 'Edsger', 'Barbara', 'Donald', 'Radia', 'Tony', 'Margaret', 'Niklaus'];
const LAST = ['Berger', 'Costa', 'Dubois', 'Eriksen', 'Fischer', 'Garcia', 'Horvat', 'Ivanova', 'Jansen', 'Kowalski', 'Lopez'];
const TOWNS = ['Vienna', 'Porto', 'Lyon', 'Bergen', 'Munich', 'Seville', 'Zagreb', 'Sofia', 'Utrecht', 'Gdansk'];

/** A shop and its back office after some days, made of files on this machine; whatever is to be seen has really happened. */
export async function makeCalmWorld(service: Service): Promise<CalmWorld> {
  await service.app.db.write(writeDays, [
    ...tellStory({ orders: 400, products: 40, seed: 'tour', now: Date.now(), currency: 'EUR', tracks: true }),
  ]);
  makeFiles(service);
  const warehouse = await addSource(service, 'sqlite', { path: 'warehouse.sqlite' }, 'Warehouse');
  const crm = await addSource(service, 'sqlite', { path: 'crm.sqlite' }, 'CRM');
  await ask(service, 'POST', `/sources/${crm}/check`);
  const nightly = { type: 'cron', expression: '30 5 * * 1-5', timezone: 'Europe/Berlin' };
  const sync = syncsInto(service, warehouse);
  const customers = await sync('Customers to the warehouse', crm, [{ source: 'customers' }], { schedule: nightly });
  await addPastRuns(service, customers);
  await runToEnd(service, customers);
  await ask(service, 'PUT', `/sync/${customers}`, { on_reject: 'fail' });
  await ask(service, 'PUT', `/sync/${customers}`, { guard: { max_delete_percent: 5 }, verify: { every: '24h' } });

  const shop = await addSource(service, 'hub', {}, 'Shop');
  const orders = await sync('Orders for reports', shop, [{ source: 'orders' }], { schedule: { type: 'interval', every: '12h' } });
  const products = await sync('Products for reports', shop, [{ source: 'products' }], { schedule: { type: 'interval', every: '12h' } });
  for (const id of [orders, products]) await runToEnd(service, id);
  for (const id of [customers, orders, products]) {
    const run = await ask(service, 'POST', `/sync/${id}/runs`, { mode: 'verify' });
    await reaches(service, run.id, 'succeeded');
  }
  return { warehouse, crm, customers };
}

/** Three things that go wrong sooner or later. */
export async function makeTrouble(service: Service, calm: CalmWorld): Promise<TourWorld> {
  const sync = syncsInto(service, calm.warehouse);
  const survey = await sync('Answers of the survey', await addSource(service, 'sqlite', { path: 'survey.sqlite' }, 'Survey'), [
    { source: 'answers', target: 'answers', fields: [{ from: 'id' }, { from: 'age', type: 'int64' }, { from: 'town' }] },
  ]);
  await runToEnd(service, survey);
  return { ...calm, survey, failedRun: await failing(service, sync), askingRun: await asking(service, sync) };
}

type MakeSync = (name: string, source: string, streams: unknown[], more?: object) => Promise<string>;

function syncsInto(service: Service, target: string): MakeSync {
  return async (name, source, streams, more = {}) =>
    (await ask(service, 'POST', '/sync', { name, source_id: source, target_id: target, streams, ...more })).id;
}

/** The price list has lost a column that is mapped. */
async function failing(service: Service, sync: MakeSync): Promise<string> {
  const file = join(service.place.dataDir, 'files', 'prices.csv');
  writeFileSync(file, 'sku,price,note\nA-1,10.50,\nA-2,7.90,sale\n');
  const prices = await addSource(service, 'files', { path: 'prices.csv' }, 'Price list');
  const id = await sync('Prices of the suppliers', prices, [
    { source: 'prices', key: ['sku'], fields: [{ from: 'sku' }, { from: 'price', type: 'decimal' }, { from: 'note' }] },
  ]);
  await runToEnd(service, id);
  writeFileSync(file, 'sku,amount,note\nA-1,10.50,\nA-2,7.90,sale\n');
  return (await runToEnd(service, id)).id;
}

/** Somebody has emptied a table at the source. */
async function asking(service: Service, sync: MakeSync): Promise<string> {
  const file = sqliteFile(service.place, 'stock.sqlite');
  const rows = Array.from({ length: 800 }, (_, i) => `(${i + 1}, 'SKU-${1000 + i}', ${(i * 37) % 90})`);
  edit(file, 'create table stock (id integer primary key, sku text, amount integer)', `insert into stock values ${rows.join(', ')}`);
  const id = await sync('Stock of the suppliers', await addSource(service, 'sqlite', { path: 'stock.sqlite' }, 'Supplier'), [
    { source: 'stock' },
  ]);
  await runToEnd(service, id);
  edit(file, 'delete from stock');
  const run = await ask(service, 'POST', `/sync/${id}/runs`);
  await reaches(service, run.id, 'needs_approval');
  return run.id;
}

/** What the other systems are: files below the first root, which sources name by their names alone. */
function makeFiles({ place }: Service): void {
  sqliteFile(place, 'warehouse.sqlite');
  const people = Array.from({ length: 1200 }, (_, i) => {
    const [first, last] = [FIRST[i % FIRST.length], LAST[(i * 7) % LAST.length]];
    return `(${i + 1}, '${first}', '${last}', '${first?.toLowerCase()}.${last?.toLowerCase()}@example.com', '${TOWNS[(i * 3) % TOWNS.length]}')`;
  });
  edit(
    sqliteFile(place, 'crm.sqlite'),
    'create table customers (id integer primary key, first_name text, last_name text, email text, town text)',
    `insert into customers values ${people.join(', ')}`,
    'create table invoices (id integer primary key, customer_id integer, total numeric)',
    'create table contacts (id integer primary key, customer_id integer, phone text)',
  );
  const answers = Array.from(
    { length: 500 },
    (_, i) => `(${i + 1}, '${i % 125 === 7 ? 'thirty' : 20 + (i % 50)}', '${TOWNS[i % TOWNS.length]}')`,
  );
  edit(
    sqliteFile(place, 'survey.sqlite'),
    'create table answers (id integer primary key, age text, town text)',
    `insert into answers values ${answers.join(', ')}`,
  );
}
