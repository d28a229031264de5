import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { followMilestonesByChance } from '../../../../test/support/chance-milestones.ts';
import { type LogDatabase, logRequest, startLogDatabase } from '../../../../test/support/postgres-log.ts';
import type { ChangeLog } from '../../changes.ts';

let database: LogDatabase;
let log: ChangeLog;

before(async () => {
  database = await startLogDatabase('-c max_prepared_transactions=5');
  log = await database.log();
});
after(() => database.close());

/** The ids that are inserted, set by set. What says nothing of rows is left out. */
async function inserted(name: string, start: string, milestones: readonly string[]): Promise<string[][]> {
  const end = await log.end();
  const sets: string[][] = [];
  for await (const { changes, position } of log.follow(logRequest(name, { stream: `public.${name}` }), start, milestones)) {
    const ids = changes.flatMap((change) => (change.op === 'insert' ? [change.row[0] ?? ''] : []));
    if (ids.length > 0) sets.push(ids);
    if (position !== undefined && !log.isBefore(position, end)) break;
  }
  return sets;
}

test('milestones that are taken while several write', async () => {
  await database.run('create table chance (id int primary key, v text); create table beside (id int primary key, v text)');
  const clients = await Promise.all([1, 2, 3].map(() => database.client()));
  await followMilestonesByChance({
    log,
    request: logRequest('chance', { stream: 'public.chance' }),
    writers: clients.map((client) => (sql) => client.query(sql)),
    visible: async () => (await database.rows('select id from chance')).map(([id]) => id ?? ''),
  });
  await log.release('chance');
});

test('a transaction belongs where it was committed, not where it began or was prepared', async () => {
  await database.run('create table late (id int primary key, v text)');
  const start = await log.hold(logRequest('late', { stream: 'public.late' }));
  const [slow, prepared] = [await database.client(), await database.client()];
  await slow.query('begin');
  await slow.query(`insert into late values (1, 'slow')`);
  await prepared.query('begin');
  await prepared.query(`insert into late values (2, 'prepared')`);
  await prepared.query(`prepare transaction 'late'`);
  await database.run(`insert into late values (3, 'quick')`);
  const milestone = await log.end();
  await slow.query('commit');
  const between = await log.end();
  await prepared.query(`commit prepared 'late'`);
  assert.deepEqual(await inserted('late', start, [between, milestone]), [['3'], ['1'], ['2']]);
  await log.release('late');
});

test('a milestone at which a page of the log ends', async () => {
  await database.run('create table paged (id int primary key, v text)');
  const start = await log.hold(logRequest('paged', { stream: 'public.paged' }));
  const milestones: string[] = [];
  // Records of many lengths: some of the ends lie on the border of a page, or right behind its header.
  for (let id = 0; id < 200; id++) {
    await database.run(`insert into paged values (${id}, repeat('y', ${(id * 37) % 2000}))`);
    milestones.push(await log.end());
  }
  assert.deepEqual(
    await inserted('paged', start, milestones),
    Array.from({ length: 200 }, (_, id) => [String(id)]),
  );
  await log.release('paged');
});
