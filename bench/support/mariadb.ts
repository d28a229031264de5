import { spawnSync } from 'node:child_process';
import type { Command } from './rates.ts';

/** The `mariadb` client on a server of the tests, for one account. */
export interface MariaDb {
  /** Runs statements one after the other. */
  run(...statements: string[]): void;
  /** The same as a command to measure. */
  command(...args: string[]): Command;
}

export function mariadbAt(url: string): MariaDb {
  const { hostname, port, username } = new URL(url);
  const account = ['--no-defaults', '-h', hostname, '-P', port, '-u', username, '--skip-ssl', '--default-character-set=utf8mb4'];
  const command = (...args: string[]): Command => ({ command: 'mariadb', args: [...account, '--local-infile=1', ...args] });
  return {
    command,
    run: (...statements) => {
      const { command: program, args } = command('-e', statements.join('; '));
      const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
      if (status !== 0) throw new Error(stderr);
    },
  };
}
