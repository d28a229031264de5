import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterSection } from '../support/bench.ts';
import { prepareGround, type Role } from '../support/nodes.ts';
import { residentMegabytes } from '../support/processes.ts';
import { psql } from '../support/psql.ts';
import { limit, measure } from '../support/report.ts';
import { databaseOn } from '../support/two-databases.ts';

// As long as what is done rarely takes to come round.
const SECONDS = 60;
const SETTLE = 10_000;
const ROLES = ['all', 'api', 'worker'] as const satisfies readonly Role[];

/** What a node asks the database for when nothing happens, and how much memory it takes. Each role on a database of its own. */
export const section: ClusterSection = async () => {
  const ground = await prepareGround('-c shared_preload_libraries=pg_stat_statements -c pg_stat_statements.track=top');
  psql(ground.own, 'create extension pg_stat_statements');
  const nodes = await Promise.all(
    ROLES.map(async (role) => {
      const database = `idle_${role}`;
      psql(ground.server, `create database ${database}`);
      const settings = { DATABASE_URL: databaseOn(ground.server, database) };
      // The first on a database makes its tables; it is the second that counts.
      await (await ground.start(role, settings)).stop();
      return { role, database, node: await ground.start(role, settings) };
    }),
  );
  await sleep(SETTLE);
  psql(ground.own, 'select pg_stat_statements_reset()');
  await sleep(SECONDS * 1000);
  for (const { role, database, node } of nodes) {
    const statements = psql(
      ground.own,
      `select coalesce(sum(calls), 0) from pg_stat_statements join pg_database on oid = dbid where datname = '${database}'`,
    );
    limit(`An idle node (${role}): statements, begin and commit included`, '/s', [Number(statements) / SECONDS], 2);
    measure(`An idle node (${role}): memory`, 'MB', [residentMegabytes(node.pid) ?? Number.NaN]);
  }
};
