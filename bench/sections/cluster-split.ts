import { join } from 'node:path';
import type { ClusterSection } from '../support/bench.ts';
import { mixedLines, writePortions } from '../support/mixed-rows.ts';
import { coresUsed, prepareGround } from '../support/nodes.ts';
import { temporaryFolder } from '../support/processes.ts';
import { MIXED_COLUMNS, psql } from '../support/psql.ts';
import { compare } from '../support/report.ts';
import { inTurns, mapPair } from '../support/statistics.ts';
import { createPostgresSource, createSync, deleteSync, runSync } from '../support/synchronizations.ts';

const WHOLE = '0';

/** The first load of one large table by two workers that share it, against one of them alone. */
export const section: ClusterSection = async ({ rounds, rows }) => {
  const ground = await prepareGround();
  const file = join(temporaryFolder(), 'rows.copy');
  await writePortions(file, mixedLines(rows));
  psql(ground.source, `create table rows (${MIXED_COLUMNS})`, `\\copy rows from '${file}'`, 'vacuum analyze rows', 'checkpoint');
  const api = await ground.start('api');
  const [source_id, target_id] = [await createPostgresSource(api, ground.source), await createPostgresSource(api, ground.target)];
  const load = async (splitRows: string) => {
    const workers = [
      await ground.start('worker', { SYNCLINE_SPLIT_ROWS: splitRows }),
      await ground.start('worker', { SYNCLINE_SPLIT_ROWS: splitRows }),
    ];
    psql(ground.target, 'drop table if exists ours', 'checkpoint');
    const id = await createSync(api, { source_id, target_id, streams: [{ source: 'public.rows', target: 'public.ours', mode: 'mirror' }] });
    const { result, cores } = await coresUsed(() => runSync(api, id));
    if (result.run.totals.inserted !== rows) throw new Error(`Of ${rows} rows ${result.run.totals.inserted} were inserted.`);
    await deleteSync(api, id);
    for (const worker of workers) await worker.stop();
    return { rate: rows / result.seconds, cores };
  };
  const passes = await inTurns(
    rounds,
    () => load(String(Math.ceil(rows / 10))),
    () => load(WHOLE),
  );
  const count = rows.toLocaleString('en-US');
  compare(
    `First load of ${count} rows: two workers that share it, against one that does it whole`,
    'rows/s',
    mapPair(passes, ({ rate }) => rate),
  );
  compare(
    'Cores of the machine at work meanwhile, both databases included',
    'cores',
    mapPair(passes, ({ cores }) => cores),
  );
};
