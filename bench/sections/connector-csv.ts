import { join } from 'node:path';
import type { ConnectorSection } from '../support/bench.ts';
import { mixedCsv, writePortions } from '../support/mixed-rows.ts';
import { temporaryFolder } from '../support/processes.ts';
import { type Pass, timeOurs } from '../support/rates.ts';
import { compare, limit } from '../support/report.ts';
import { inTurns, mapPair } from '../support/statistics.ts';

const OURS = new URL('../contenders/connector-files.ts', import.meta.url);
const CSV_PARSE = new URL('../contenders/csv-parse.ts', import.meta.url);

/** Reading a CSV file into typed batches, against csv-parse into objects of strings. */
export const section: ConnectorSection = async ({ rounds, rows }) => {
  const file = join(temporaryFolder(), 'rows.csv');
  await writePortions(file, mixedCsv(rows));
  const memory: number[] = [];
  const reading = await inTurns(
    rounds,
    async () => {
      const pass = await timeOurs(OURS, [file, String(rows)]);
      memory.push(pass.memory);
      return pass;
    },
    () => timeOurs(CSV_PARSE, [file, String(rows)]),
  );
  const count = rows.toLocaleString('en-US');
  compare(
    `CSV: read ${count} rows`,
    'rows/s',
    mapPair(reading, ({ seconds }: Pass) => rows / seconds),
    { atLeast: 2 },
  );
  limit(`CSV: memory with ${count} rows (highest)`, 'MB', [Math.max(...memory)], 200);
};
