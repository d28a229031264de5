import { dirname } from 'node:path';
import { unavailable } from '../lib/errors.ts';
import type { Logger } from '../lib/log.ts';
import { rememberFiles } from '../lib/same-files.ts';

// SQLite goes on writing into a file that was deleted, without a word, and nobody will ever read that again. So it is looked at whether the
// files that are open are still those at their paths: behind every commit, before it is acknowledged, and every second.

const LOOK_INTERVAL = 1_000;

export interface FileWatch {
  /** What is wrong with the files, in words for the operator. */
  problem(): string | undefined;
  /** Throws when they are not there. */
  demand(): void;
  close(): void;
}

/** What a commit is in: the file itself or its log. Call it when the database is open; what it answers throws when they are not there. */
export function demandFiles(path: string): () => void {
  const lost = rememberFiles([path, `${path}-wal`]);
  return () => {
    if (lost() !== undefined) throw filesLost();
  };
}

/** Looks after the files of a database that is open. Of the third, others who open the database learn where the log is. */
export function watchFiles(path: string, log: Logger): FileWatch {
  const lost = rememberFiles([path, `${path}-wal`, `${path}-shm`]);
  let missing: string | undefined;
  const look = (): void => {
    const before = missing;
    missing = lost();
    if (missing !== undefined && before === undefined) log.error({ file: missing }, `${problemOf(path)} Until then nothing is written`);
    if (missing === undefined && before !== undefined) log.info({ data_dir: dirname(path) }, 'the files of the database are back');
  };
  const timer = setInterval(look, LOOK_INTERVAL).unref();
  return {
    problem: () => (missing === undefined ? undefined : problemOf(path)),
    demand: () => {
      look();
      if (missing !== undefined) throw filesLost();
    },
    close: () => clearInterval(timer),
  };
}

function problemOf(path: string): string {
  return (
    `The files of its database in ${dirname(path)} were removed or replaced while it runs. ` +
    'Put the folder back where it was, or stop the service, restore a backup and start it again.'
  );
}

function filesLost(): Error {
  return unavailable(
    'The files of the database were removed or replaced under the running service, so nothing is written. The operator has to put the data ' +
      'directory back, or to stop the service, restore a backup and start it again. Its log says more.',
    { until: 'the operator has put the files back or restored a backup' },
  );
}
