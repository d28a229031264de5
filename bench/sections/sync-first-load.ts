import { join } from 'node:path';
import type { SyncSection } from '../support/bench.ts';
import { RENAMED_AND_CAST, WITH_EXPRESSION } from '../support/mappings.ts';
import { temporaryFolder } from '../support/processes.ts';
import { MIXED_COLUMNS, psql, psqlPipe } from '../support/psql.ts';
import { type Pass, timeTool } from '../support/rates.ts';
import { compare, limit, type Target } from '../support/report.ts';
import { inRotation } from '../support/statistics.ts';
import { createPostgresSource, createSync, type RunPass, runSync } from '../support/synchronizations.ts';
import { startSyncline } from '../support/syncline.ts';
import { databaseOn, twoDatabases } from '../support/two-databases.ts';

/** A first load of a mirror, against `psql COPY TO | psql COPY FROM`, and pgcopydb for information. */
export const section: SyncSection = async ({ rounds, rows }) => {
  const { server, source, target } = await twoDatabases(rows);
  psql(server, 'create database cloned');
  const syncline = await startSyncline(temporaryFolder());
  const [source_id, target_id] = [await createPostgresSource(syncline, source), await createPostgresSource(syncline, target)];
  const fresh = (...statements: string[]): void => {
    psql(target, 'drop table if exists ours, theirs', ...statements, 'checkpoint');
  };
  const ours = async (fields?: object[]): Promise<RunPass> => {
    // A synchronization of its own each time: nothing is known of the target yet.
    const stream = { source: 'public.rows', target: 'public.ours', mode: 'mirror', ...(fields && { fields }) };
    const pass = await runSync(syncline, await createSync(syncline, { source_id, target_id, streams: [stream] }));
    if (psql(target, 'select count(*) from ours') !== String(rows)) throw new Error('Not all rows have arrived.');
    return pass;
  };
  const cloning = join(temporaryFolder(), 'pgcopydb');

  // The first run loads the connectors into memory; a service that has been up for a minute has done that.
  fresh();
  await ours();
  const passes = await inRotation<string, Pass>(rounds, {
    pipe: () => {
      fresh(`create table theirs (${MIXED_COLUMNS})`);
      return timeTool(psqlPipe(source, 'copy rows to stdout', target, 'copy theirs from stdin'));
    },
    withKey: () => {
      fresh(`create table ours (${MIXED_COLUMNS})`);
      return ours();
    },
    created: () => {
      fresh();
      return ours();
    },
    mapped: () => {
      fresh();
      return ours(RENAMED_AND_CAST);
    },
    expression: () => {
      fresh();
      return ours(WITH_EXPRESSION);
    },
    pgcopydb: () => {
      const ends = ['--source', source, '--target', databaseOn(server, 'cloned'), '--dir', cloning];
      return timeTool({ command: 'pgcopydb', args: ['clone', ...ends, '--drop-if-exists', '--restart', '--not-consistent'] });
    },
  });
  const count = rows.toLocaleString('en-US');
  const rate = ({ seconds }: Pass): number => rows / seconds;
  const against = (name: string, what: string, reference: string, wanted?: Target): void => {
    const pair = { ours: (passes[name] ?? []).map(rate), reference: (passes[reference] ?? []).map(rate) };
    compare(`PostgreSQL → PostgreSQL: first load of ${count} rows ${what}`, 'rows/s', pair, wanted);
  };
  against('withKey', 'into a table with its primary key', 'pipe', { atLeast: 0.85 });
  against('created', 'into a table that we create', 'pipe', { atLeast: 1 });
  against('mapped', 'into a table that we create, with renames and casts', 'pipe', { atLeast: 1 });
  against('expression', 'into a table that we create, with an expression', 'pipe', { atLeast: 0.5 });
  against('created', 'into a table that we create, against pgcopydb clone', 'pgcopydb');
  const highest = Math.max(...Object.values(passes).flatMap((some) => some.map(({ memory }) => memory)));
  limit(`PostgreSQL → PostgreSQL: memory of the service with ${count} rows (highest)`, 'MB', [highest], 250);
};
