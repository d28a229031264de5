import { type Connection, first } from '../../db/database.ts';
import { all, raw, type Sql, sql } from '../../db/sql.ts';
import type { LogLevel } from './entry.ts';
import type { Places } from './places.ts';
import { BLOCK, subjectOf } from './write.ts';

// Exact totals and deep pages at a cost that does not grow with the table: whole blocks are summed up from `log_counts`, only
// what sticks out at both ends is counted along the index.

export interface SubjectFilter {
  sync_id: string | undefined;
  source_id: string | undefined;
  levels: readonly LogLevel[];
}

/** So many entries before the number `high`, back to where the next stretch begins. */
interface Stretch {
  high: number;
  n: number;
}

export interface LogTally {
  total: number;
  /** Where to start so that, newest first, this many are behind; `offset` is what is still to be skipped from there. */
  skip(offset: number): { high: number; offset: number };
}

export async function countSubject(db: Connection, filter: SubjectFilter, { low, high }: Places): Promise<LogTally> {
  const firstBlock = Math.ceil(low / BLOCK);
  const lastBlock = Math.floor(high / BLOCK);
  if (firstBlock >= lastBlock) return tallyOf([{ high, n: await countAlong(db, filter, { low, high }) }]);
  const [top, blocks, bottom] = await Promise.all([
    countAlong(db, filter, { low: lastBlock * BLOCK, high }),
    db.all<{ block: number; n: number }>(sql`
      select block, cast(sum(n) as bigint) as n from log_counts
      where subject = ${subjectOf(filter.sync_id, filter.source_id)} and level in (${levelList(filter.levels)})
        and block >= ${firstBlock} and block < ${lastBlock}
      group by block order by block desc`),
    countAlong(db, filter, { low, high: firstBlock * BLOCK }),
  ]);
  return tallyOf([
    { high, n: top },
    ...blocks.map(({ block, n }) => ({ high: (block + 1) * BLOCK, n })),
    { high: firstBlock * BLOCK, n: bottom },
  ]);
}

function tallyOf(stretches: readonly Stretch[]): LogTally {
  return {
    total: stretches.reduce((sum, { n }) => sum + n, 0),
    skip: (offset) => {
      let left = offset;
      for (const { high, n } of stretches) {
        if (left < n) return { high, offset: left };
        left -= n;
      }
      return { high: 0, offset: 0 };
    },
  };
}

async function countAlong(db: Connection, { sync_id, source_id, levels }: SubjectFilter, { low, high }: Places): Promise<number> {
  if (low >= high) return 0;
  const belongs = all([
    sync_id === undefined ? undefined : sql`sync_id = ${sync_id}`,
    source_id === undefined ? undefined : sql`source_id = ${source_id}`,
  ]);
  const counted = await first<{ n: number }>(
    db,
    sql`select count(*) as n from logs where ${belongs} and level in (${levelList(levels)}) and seq >= ${low} and seq < ${high}`,
  );
  return counted?.n ?? 0;
}

/** Levels are words of our own; written out, the planner knows them. */
export function levelList(levels: readonly LogLevel[]): Sql {
  return raw(levels.map((level) => `'${level}'`).join(', '));
}
