import { spawnSync } from 'node:child_process';
import { MIXED_FIELDS } from './mixed-rows.ts';
import type { Command } from './rates.ts';

const FLAGS = ['-v', 'ON_ERROR_STOP=1', '-qX'];

/** The columns of the mixed rows (`mixed-rows.ts`), as a careful user would have made them. */
export const MIXED_COLUMNS = `id bigint primary key, customer text not null, email text, amount numeric(12,2) not null, quantity bigint not null,
  score double precision, active boolean not null, born date, updated_at timestamp not null, note text`;

export const MIXED_NAMES = MIXED_FIELDS.map((field) => field.name);

/** Runs statements one after the other; answers what the last one printed, without decoration. */
export function psql(url: string, ...statements: string[]): string {
  const { status, stdout, stderr } = spawnSync('psql', [url, ...FLAGS, '-At', ...each(statements)], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim().split('\n').at(-1) ?? '';
}

export function psqlCommand(url: string, ...statements: string[]): Command {
  return { command: 'psql', args: [url, ...FLAGS, ...each(statements)] };
}

/** `psql COPY TO | psql COPY FROM`: what one would do by hand. The second may have statements around its COPY. */
export function psqlPipe(from: string, out: string, to: string, ...into: string[]): Command {
  const side = (url: string, statements: string[]): string => ['psql', url, ...FLAGS, ...each(statements)].map(quoted).join(' ');
  // Without pipefail the shell would not notice that the first one failed.
  return { command: 'bash', args: ['-c', `set -o pipefail; ${side(from, [out])} | ${side(to, into)}`] };
}

function each(statements: readonly string[]): string[] {
  return statements.flatMap((one) => ['-c', one]);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
