import type { SqlDialect } from '../../sql-target/dialect.ts';
import { appender, upserter } from './into-table.ts';
import { quote } from '../catalogue/literals.ts';
import { remover } from './remove.ts';
import { stageFor } from './staged.ts';
import { countRows, isEmpty, type MysqlTarget } from './target.ts';
import { transaction } from './transaction.ts';

/** What differs in MySQL. Nothing that makes, empties or drops a table can be undone: it ends the transaction under way. */
export function dialectOf(target: MysqlTarget): SqlDialect {
  const { wire, request, table, columns, key, checkpoint } = target;
  const isAdding = request.mode === 'append' || key.length === 0;
  return {
    request,
    checkpoint,
    transaction: (work) => transaction(wire, work),
    table: {
      columns: columns.map(({ name, columnType }) => [name, columnType]),
      isEmpty: () => isEmpty(target),
      count: () => countRows(wire, quote(table.name)),
      putter: async (isOurs) => (isAdding ? appender(target) : upserter(target, isOurs || (await isEmpty(target)))),
      remover: (how) => remover(target, { how }),
    },
    stage: stageFor(target),
  };
}
