import { stageName } from '../../sql-target/stage-name.ts';
import type { TypedColumn } from '../catalogue/columns.ts';
import { quote } from '../catalogue/literals.ts';

/** Set on a row of a stage that was refused: it is not written, but the one in the table is not taken for gone. */
export const KEPT = '_syncline_kept';

/** Where the rows of a batch wait until they are merged; ours alone, and gone with the connection. */
export const BATCH_STAGE = '_syncline_batch';
export const KEYS_STAGE = '_syncline_keys';

/** A mirror's rows are collected in a table that outlives us. */
export function mirrorStage(owner: string, stream: string): string {
  return stageName(`${owner}\0${stream}`, 20);
}

interface Shape {
  name: string;
  columns: readonly TypedColumn[];
  key: readonly string[];
  temporary: boolean;
}

/** A table like the target, with the key alone as index, so that it compares keys just as the target does. */
export function stageStatement({ name, columns, key, temporary }: Shape): string {
  const isKey = (column: TypedColumn): boolean => key.includes(column.name);
  const parts = columns.map((column) => {
    const text = column.characterSet === null ? '' : ` character set ${column.characterSet} collate ${column.collation}`;
    // An enum with an empty default or a timestamp that sets itself would be surprises: nothing but the type is taken over.
    return `${quote(column.name)} ${column.columnType}${text} ${isKey(column) ? 'not null' : 'null default null'}`;
  });
  if (!temporary) {
    parts.push(`${quote(KEPT)} boolean not null default 0`);
    // What the target would refuse at the end is better refused at once, row by row.
    const checks = columns.flatMap((column) => [
      ...(column.nullable || isKey(column) ? [] : [`${quote(column.name)} is not null`]),
      ...(column.isJson && column.dataType !== 'json' ? [`(${quote(column.name)} is null or json_valid(${quote(column.name)}))`] : []),
    ]);
    if (checks.length > 0) parts.push(`check (${quote(KEPT)} = 1 or (${checks.join(' and ')}))`);
  }
  if (key.length > 0) parts.push(`primary key (${key.map(quote).join(', ')})`);
  return `create ${temporary ? 'temporary ' : ''}table ${quote(name)} (${parts.join(', ')}) engine = InnoDB row_format = dynamic`;
}
