import type { RunError } from '../engine/run.ts';
import { sentences } from '../lib/sentence.ts';
import type { RuleType } from './alert.ts';

// What is wrong, in sentences that a person reads on a telephone at night. They change only when something has happened.

export function failing(runs: number, error: RunError | null, pauseReason: string | null): string {
  const what = runs === 1 ? 'The last run failed' : `${runs} runs in a row have failed, the last one with`;
  return sentences([error ? `${what}: ${error.message}` : 'The last run failed: see its streams', error?.hint, pauseReason]);
}

export function needsApproval(error: RunError | null): string {
  return sentences(['A run has stopped before it changed anything, and waits for a person to approve or cancel it', error?.message]);
}

export function rejects(count: number, orMore: boolean): string {
  const rows = count === 1 ? '1 row is' : `${count}${orMore ? ' or more' : ''} rows are`;
  return `${rows} rejected, and not at the target. See why, correct it, and retry.`;
}

export function differs({ missing, extra, different }: Record<'missing' | 'extra' | 'different', number>): string {
  return `The target does not have what the source has: ${missing} rows missing, ${extra} extra, ${different} different. Look at them, and repair them.`;
}

export function late(expectedMs: number, lastSuccess: string | null, createdAt: string): string {
  const since =
    lastSuccess === null ? `No run has succeeded since it was made at ${createdAt}` : `The last run that succeeded ended at ${lastSuccess}`;
  return sentences([since, `One is expected every ${duration(expectedMs)}`]);
}

/** The same of a live one: up to when everything is at the target. */
export function liveLate(expectedMs: number, upTo: string | null, createdAt: string): string {
  if (upTo === null) return sentences([`Nothing has come to the target since it was made at ${createdAt}`, expectedWithin(expectedMs)]);
  return sentences([`What came to the source after ${upTo} is not at the target`, expectedWithin(expectedMs)]);
}

function expectedWithin(ms: number): string {
  return `It is expected there within ${duration(ms)}`;
}

export function lag(startedAt: string): string {
  return `The last run that succeeded began at ${startedAt}: what came to the source since is not at the target.`;
}

/** Of what is live: how far behind changes all the time, and is told in the details. */
export function liveLag(): string {
  return 'It is live, and further behind its source than it should be: changes are not at the target yet.';
}

export function diskFull(freePercent: number): string {
  return `Only ${Math.floor(freePercent)} % of the disk that the data directory is on is free. Make room before it is full: then nothing can be written any more.`;
}

export function keyExpires(expiresAt: string): string {
  return `It expires at ${expiresAt}: requests with it are refused from then on. Make a new one for those who use it.`;
}

/** Why an incident is over when nothing else is known. */
export const ENDINGS: Readonly<Record<RuleType, string>> = {
  failing: 'A run has succeeded again.',
  needs_approval: 'No run waits for approval any more.',
  differs: 'Both ends were compared again, and nothing was seen to differ.',
  rejects: 'There are no more rejected rows than the alert allows.',
  late: 'A run has succeeded, or none is expected any more.',
  lag: 'It has caught up, or is not meant to run any more.',
  schema_changed: 'The next run has found no other change of the fields.',
  endpoint_paused: 'It is active again.',
  disk_full: 'There is room again.',
  key_expires: 'It does not expire soon any more.',
};

function duration(milliseconds: number): string {
  const units: [number, string][] = [
    [86_400_000, 'd'],
    [3_600_000, 'h'],
    [60_000, 'm'],
    [1000, 's'],
  ];
  const [size, unit] = units.find(([length]) => milliseconds % length === 0) ?? [1000, 's'];
  return `${Math.round(milliseconds / size)}${unit}`;
}
