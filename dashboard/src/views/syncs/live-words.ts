import type { Sync } from '../../api/resources.ts';
import { formatDuration, plural } from '../../parts/words/format.ts';

/** Whether it follows the log of its source: all of its streams do, or none. */
export function isLive({ streams }: Pick<Sync, 'streams'>): boolean {
  return streams.some(({ mode }) => mode === 'cdc');
}

/** `up to date`, `12 s behind`: what is younger than a second is nothing that a person could see. */
export function lagWords(seconds: number): string {
  return seconds < 1 ? 'up to date' : `${formatLong(seconds)} behind`;
}

const DAY = 86_400;

/** The same as a duration, and from two days on in days. */
export function formatLong(seconds: number): string {
  return seconds < 2 * DAY ? formatDuration(seconds * 1000) : plural(Math.floor(seconds / DAY), 'day');
}
