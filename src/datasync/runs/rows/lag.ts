import type { Lag } from '../../../engine/run.ts';

/** How far a live synchronization is behind, as it is shown. */
export interface ShownLag {
  seconds: number;
  bytes: number | null;
  at: string;
}

/** What the source keeps of its log for a live synchronization. */
export interface Retained {
  bytes: number | null;
  /** What it may keep at most, in bytes. */
  max: number;
  /** In how many seconds that is reached as the log grows now, should nothing be followed any more; null when it does not grow, or nobody knows. */
  lasts_seconds: number | null;
}

/** A live run tells every few seconds. When it has not for so long, nobody follows. */
const SILENT_AFTER = 10_000;

export function readLag(lag: string | null): Lag | null {
  return lag === null ? null : (JSON.parse(lag) as Lag);
}

/** The lag that was told last; what nobody tells any more grows by itself. */
export function shownLag({ seconds, bytes, at }: Lag, now: number): ShownLag {
  const silence = now - Date.parse(at);
  return { seconds: silence > SILENT_AFTER ? Math.round(seconds + silence / 1000) : seconds, bytes, at };
}

export function retainedOf({ bytes, bytes_per_second: growth }: Lag, max: number): Retained {
  const isGrowing = bytes !== null && growth !== null && growth > 0;
  return { bytes, max, lasts_seconds: isGrowing ? Math.max(0, Math.round((max - bytes) / growth)) : null };
}
