import { startOwnMysql } from '../../test/support/mysql-server.ts';
import type { LiveSection } from '../support/bench.ts';
import { atEnd } from '../support/cleanup.ts';
import { catchUp, liveGround, pause, resume, untilLive } from '../support/live.ts';
import { mariadbAt } from '../support/mariadb.ts';
import { measure } from '../support/report.ts';
import { createPostgresSource, createSource, createSync } from '../support/synchronizations.ts';

const ROWS = 100_000;

/** What has gathered in the log of a MariaDB, in transactions of one row. */
export const section: LiveSection = async ({ rounds, transactions }) => {
  const server = await startOwnMysql(['--log-bin=binlog', '--server-id=7', '--binlog-format=ROW', '--max-binlog-size=1G']);
  atEnd(() => server.stop());
  const mariadb = mariadbAt(server.url);
  mariadb.run(
    'create database source',
    'use source',
    'create table source.items (id bigint primary key, name varchar(80), amount decimal(12,2), changed_at datetime(6), note text)',
    `insert into source.items select seq, concat('item ', seq), seq * 0.25, now(6), repeat('x', 40) from seq_0_to_${ROWS}`,
  );
  // The client takes every semicolon for an end, unless it is told another one.
  mariadb.run(`delimiter //
create procedure source.gather(n int) begin declare i int default 0; while i < n do
  update source.items set amount = amount + 1, changed_at = now(6) where id = 1 + (i * 7919) % ${ROWS}; set i = i + 1; end while; end//`);
  const { ours, syncline } = await liveGround();
  const { hostname, port, username } = new URL(server.url);
  const account = { host: hostname, port: Number(port), user: username, database: 'source', tls: 'disable' };
  const [source_id, target_id] = [await createSource(syncline, 'mysql', account), await createPostgresSource(syncline, ours)];
  const sync = await createSync(syncline, { source_id, target_id, streams: [{ source: 'items', target: 'items', mode: 'cdc' }] });
  await untilLive(syncline, sync);
  const rates: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    await pause(syncline, sync);
    const mark = `update source.items set name = 'mark ${round}' where id = 0`;
    mariadb.run('set global sync_binlog = 0', `call source.gather(${transactions})`, mark);
    const { seconds } = await catchUp(ours, 'select name from items where id = 0', `mark ${round}`, () => resume(syncline, sync));
    rates.push(transactions / seconds);
  }
  measure('MariaDB → PostgreSQL: transactions of one row, caught up', '/s', rates, { atLeast: 15_000 });
};
