// Commands of tests that put jobs in a queue and take them, as SQLite's writer finds commands by their module.
import { command } from '../../src/db/database.ts';
import type { Job } from '../../src/db/job.ts';
import { cancelJobs, enqueueJobs, takeJobs } from '../../src/jobs/dispatcher.ts';

export const putTestJobs = command(import.meta.url, 'putTestJobs', async (tx, { jobs, fail }: { jobs: Job[]; fail?: boolean }) => {
  await enqueueJobs(tx, 'runs', jobs);
  if (fail) throw new Error('The work failed.');
});

export const takeTestJobs = command(import.meta.url, 'takeTestJobs', async (tx, { most, fail }: { most: number; fail?: boolean }) => {
  const keys = await takeJobs(tx, 'runs', most);
  if (fail) throw new Error('The work failed.');
  return keys;
});

export const cancelTestJobs = command(import.meta.url, 'cancelTestJobs', (tx, keys: string[]) => cancelJobs(tx, 'runs', keys));
