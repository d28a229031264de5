import type { LiveSection } from '../support/bench.ts';
import { catchUp, followTable, liveGround, pause, resume, subscribe } from '../support/live.ts';
import { psql } from '../support/psql.ts';
import { compare, limit } from '../support/report.ts';
import { inTurns, mapPair, type Pair } from '../support/statistics.ts';
import type { Pass } from '../support/rates.ts';

const ROWS = 500_000;

/** What has gathered while nobody followed, against PostgreSQL's own subscription: many small transactions, and a large one. */
export const section: LiveSection = async ({ rounds, transactions }) => {
  const ground = await liveGround();
  const { source, ours, theirs, syncline } = ground;
  psql(
    source,
    'create table items (id bigint primary key, name text, amount numeric(12,2), changed_at timestamptz, note text)',
    `insert into items select n, 'item ' || n, n * 0.25, now(), repeat('x', 40) from generate_series(0, ${ROWS}) n`,
  );
  subscribe(ground, 'items');
  const sync = await followTable(ground, 'items');
  psql(theirs, 'create extension if not exists dblink');
  const { hostname, port, username } = new URL(ground.server);
  psql(
    theirs,
    `insert into items select * from dblink('host=${hostname} port=${port} user=${username} dbname=source', 'select * from items')
      as t(id bigint, name text, amount numeric, changed_at timestamptz, note text)`,
  );
  for (const url of [ours, theirs]) psql(url, 'vacuum analyze items');
  psql(source, "select pg_replication_slot_advance('theirs', pg_current_wal_lsn())");

  let mark = 0;
  const shown = 'select name from items where id = 0';
  const leaveMark = (): string => psql(source, `update items set name = 'mark ${++mark}' where id = 0`);
  const ourTurn = (): Promise<Pass> => catchUp(ours, shown, `mark ${mark}`, () => resume(syncline, sync), syncline.pid);
  const theirTurn = (): Promise<Pass> =>
    catchUp(theirs, shown, `mark ${mark}`, async () => void psql(theirs, 'alter subscription theirs enable'));
  const measured = (gather: () => void): Promise<Pair<Pass>> =>
    inTurns(
      rounds,
      async () => {
        // What the other one has written is in the log of the same server: nobody is to read that in his turn.
        leaveMark();
        await ourTurn();
        await theirTurn();
        // Every round finds the tables as the first one does: the server comes to this by itself, but not within seconds.
        for (const url of [ours, theirs]) psql(url, 'vacuum items');
        await pause(syncline, sync);
        psql(theirs, 'alter subscription theirs disable');
        gather();
        leaveMark();
        psql(ground.server, 'checkpoint');
        return ourTurn();
      },
      async () => {
        await pause(syncline, sync);
        return theirTurn();
      },
    );

  const small = await measured(() =>
    psql(
      source,
      'set synchronous_commit = off',
      `do $$ begin for n in 1..${transactions} loop update items set amount = amount + 1, changed_at = now() where id = 1 + (n * 7919) % ${ROWS}; commit; end loop; end $$`,
    ),
  );
  const rate = ({ seconds }: Pass): number => transactions / seconds;
  compare(`${transactions.toLocaleString('en-US')} transactions of one row, caught up`, '/s', mapPair(small, rate), { atLeast: 1 });
  const large = await measured(() => psql(source, "update items set note = note || 'y', changed_at = now() where id > 0"));
  compare(
    'One transaction of 500,000 updates',
    'rows/s',
    mapPair(large, ({ seconds }) => ROWS / seconds),
    { atLeast: 1.5 },
  );
  limit(
    'Memory of the service meanwhile',
    'MB',
    [...small.ours, ...large.ours].map(({ memory }) => memory),
    300,
  );
  for (const url of [ours, theirs]) if (digest(url) !== digest(source)) throw new Error(`${url} is not what the source has.`);
};

function digest(url: string): string {
  return psql(url, "select count(*) || ' ' || sum(hashtext(t::text)) from items t");
}
