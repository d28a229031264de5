import { list } from '../../../db/bulk.ts';
import { type Sql, sql } from '../../../db/sql.ts';
import type { AtWork } from './uses.ts';

interface Limits {
  node: string;
  perKey: number;
  ofKeys: number;
}

/** The places of a node that keys have taken by the runs of what they have saved. Those of an admin count for no key's share. */
export interface SharesInUse {
  /** Takes a place for a run; false when its key has had its share. */
  take(share: string | null): boolean;
  /** What is true of a synchronization for whose runs there is room. */
  hasRoom(): Sql;
  /** Whether a key has used up its share. */
  areFull(): boolean;
}

export function sharesInUse(atWork: readonly AtWork[], { node, perKey, ofKeys }: Limits): SharesInUse {
  const taken = new Map<string, number>();
  let all = 0;
  const count = (share: string): void => {
    taken.set(share, (taken.get(share) ?? 0) + 1);
    all++;
  };
  for (const one of atWork) if (one.node === node && one.share_of !== null) count(one.share_of);
  const full = (): string[] => [...taken].flatMap(([share, n]) => (n >= perKey ? [share] : []));
  return {
    take: (share) => {
      if (share === null) return true;
      if ((taken.get(share) ?? 0) >= perKey || all >= ofKeys) return false;
      count(share);
      return true;
    },
    hasRoom: () => {
      if (all >= ofKeys) return sql`share_of is null`;
      const without = full();
      return without.length === 0 ? sql`true` : sql`(share_of is null or share_of not in ${list(without)})`;
    },
    areFull: () => all >= ofKeys || full().length > 0,
  };
}
