import type { PlainComparison } from './plain-comparison.ts';
import type { Planted } from './planted.ts';

/** What the kit has found of one synchronization. */
export interface SyncFindings {
  readonly mode: string;
  /** Runs that the service tells of, and how many of them needed another attempt. */
  readonly runs: number;
  readonly retried: number;
  /** What `verify` says. */
  readonly verify: {
    readonly result: string;
    readonly rows: number;
    readonly digest: string;
    readonly position?: string;
    readonly ms: number;
  };
  /** What a plain comparison says, which shares nothing with it. */
  readonly plain: PlainComparison;
  /** What was made different at the target, and what `verify` says of it. */
  readonly planted: Planted;
  readonly found: Planted & { readonly result: string };
  /** What a repair has left; where it is not equal again, how the plain comparison sees it. */
  readonly repaired: { readonly result: string; readonly plain: PlainComparison };
  readonly faults: readonly string[];
}

export interface KitFindings {
  readonly syncline: string;
  readonly node: string;
  readonly source: string;
  readonly target: string;
  readonly seed: string;
  readonly started_at: string;
  readonly seconds: number;
  /** Rows of each table before anything changed. */
  readonly rows: number;
  readonly transactions: number;
  /** Statements that were committed, by what they did. */
  readonly changes: Readonly<Record<string, number>>;
  readonly kills: number;
  /** Of them, those that hit a service that was starting. */
  readonly kills_at_start: number;
  /** Of live streams, what comparing them has found while the source changed. */
  readonly live_verifies: { readonly equal: number; readonly changing: number; readonly differs: number };
  readonly syncs: readonly SyncFindings[];
  /** Modes that this pair cannot have, and why. */
  readonly left_out: readonly { readonly mode: string; readonly why: string }[];
  readonly faults: readonly string[];
  readonly proven: boolean;
}
