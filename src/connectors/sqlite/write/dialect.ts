import type { SqlDialect } from '../../sql-target/dialect.ts';
import { applier } from './apply.ts';
import { quote } from '../database/open.ts';
import { remover } from './remove.ts';
import { columnsOf } from './stage.ts';
import { stageFor } from './staged.ts';
import type { SqliteTarget } from './target.ts';

/** What differs in SQLite. Everything can be undone, also what makes and drops tables. */
export function dialectOf(target: SqliteTarget): SqlDialect {
  const { database, request, transact, checkpoint } = target;
  const table = `main.${quote(request.stream)}`;
  return {
    request,
    checkpoint,
    transaction: transact,
    table: {
      columns: columnsOf(target),
      isEmpty: () => database.prepare(`select 1 from ${table} limit 1`).get() === undefined,
      count: () => Number(database.prepare(`select count(*) as count from ${table}`).get()?.['count']),
      putter: () => ({ put: applier(target) }),
      remover: (how) => ({ put: remover(target, request.stream, how) }),
    },
    stage: stageFor(target),
  };
}
