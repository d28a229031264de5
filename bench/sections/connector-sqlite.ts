import { openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConnectorSection } from '../support/bench.ts';
import { mixedCsv, mixedLines, writePortions } from '../support/mixed-rows.ts';
import { temporaryFolder } from '../support/processes.ts';
import { type Pass, timeOurs, timeTool } from '../support/rates.ts';
import { compare, limit } from '../support/report.ts';
import { inTurns, mapPair } from '../support/statistics.ts';

const PROGRAM = new URL('../contenders/connector-sqlite.ts', import.meta.url);
// The columns that the connector makes for the same fields.
const TABLE = `create table t (id integer not null, customer text, email text, amount decimal text, quantity integer, score real, active boolean,
  born date, updated_at timestamp, note text, primary key (id));`;

/** A first load against the `sqlite3` shell's `.import` of the same rows into the same table, and reading for information. */
export const section: ConnectorSection = async ({ rounds, rows }) => {
  const folder = temporaryFolder();
  const [lines, csv, script, database] = ['rows.copy', 'rows.csv', 'import.sql', 'bench.db'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
    string,
  ];
  await writePortions(lines, mixedLines(rows));
  await writePortions(csv, mixedCsv(rows));
  writeFileSync(script, `${TABLE}\n.mode csv\n.import --skip 1 ${csv} t\n`);
  const clear = (): void => {
    for (const end of ['', '-journal', '-wal', '-shm']) rmSync(database + end, { force: true });
  };
  const perSecond = ({ seconds }: Pass): number => rows / seconds;
  const memory: number[] = [];
  const ours = async (...args: string[]): Promise<Pass> => {
    const pass = await timeOurs(PROGRAM, args);
    memory.push(pass.memory);
    return pass;
  };

  const writing = await inTurns(
    rounds,
    () => {
      clear();
      return ours('upsert', database, lines);
    },
    () => {
      clear();
      return timeTool({ command: 'sqlite3', args: [database], input: openSync(script, 'r') });
    },
  );
  const count = rows.toLocaleString('en-US');
  compare(`sqlite: first load of ${count} rows, with its key`, 'rows/s', mapPair(writing, perSecond), { atLeast: 0.7 });

  clear();
  await ours('upsert', database, lines);
  const reading = await inTurns(
    rounds,
    () => ours('read', database),
    () => timeTool({ command: 'sqlite3', args: ['-csv', database, 'select * from t'] }),
  );
  compare(`sqlite: read ${count} rows, against \`sqlite3 -csv\``, 'rows/s', mapPair(reading, perSecond));
  limit(`sqlite: memory with ${count} rows (highest)`, 'MB', [Math.max(...memory)], 200);
};
