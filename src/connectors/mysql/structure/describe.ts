import type { PlainIndex, PlainReference, ReferenceAction, StreamStructure } from '../../structure.ts';
import { findTable, type MysqlTable } from '../catalogue/discover.ts';
import type { TypedColumn } from '../catalogue/columns.ts';
import { quote, textLiteral } from '../catalogue/literals.ts';
import { LANGUAGE, type MysqlConfig } from '../manifest.ts';
import type { Wire } from '../wire/connection.ts';
import { type ColumnAbout, plainColumn, plainDefault } from './plain-column.ts';
import { checkOf } from './made-table.ts';
import { computingOf, type MysqlTableText, parseCreation, says } from './table-text.ts';

type Rows = readonly (readonly (string | null)[])[];

/** What these tables have. */
export async function describe(wire: Wire, config: MysqlConfig, streams: readonly string[]): Promise<ReadonlyMap<string, StreamStructure>> {
  // MySQL keeps the next numbers of tables for a day, and tells what it has kept.
  if (!wire.isMariaDb) await wire.run('set session information_schema_stats_expiry = 0');
  const found = new Map<string, StreamStructure>();
  for (const stream of streams) {
    const table = await findTable(wire, config, stream);
    if (table?.kind === 'table') found.set(stream, await describeTable(wire, table));
  }
  return found;
}

export async function creationOf(wire: Wire, table: string): Promise<MysqlTableText> {
  const [[, text] = []] = await wire.rows(`show create table ${quote(table)}`);
  return parseCreation(text ?? '');
}

async function describeTable(wire: Wire, table: MysqlTable): Promise<StreamStructure> {
  const of = (view: string): string =>
    `from information_schema.${view} where table_schema = database() and table_name = ${textLiteral(table.name)}`;
  const text = await creationOf(wire, table.name);
  const [[comment, next, collation, engine] = []] = await wire.rows(
    `select table_comment, auto_increment, table_collation, engine ${of('tables')}`,
  );
  const about = new Map(
    (await wire.rows(`select column_name, column_default, character_maximum_length ${of('columns')}`)).map(
      ([name, value, length]): [string, ColumnAbout] => [
        name ?? '',
        { value: value ?? null, length: length ?? null, next: next ?? null, isMariaDb: wire.isMariaDb },
      ],
    ),
  );
  const columns = table.columns.map((column): [TypedColumn, ColumnAbout] => [
    column,
    about.get(column.name) ?? { value: null, length: null, next: null, isMariaDb: wire.isMariaDb },
  ]);
  const { key, indexes, odd } = indexesOf(
    await wire.rows(
      `select index_name, column_name, non_unique, collation, sub_part, index_type ${of('statistics')} order by index_name <> 'PRIMARY', index_name, seq_in_index`,
    ),
  );
  return {
    language: LANGUAGE,
    own: { text },
    plain: {
      comment: comment === '' || comment === undefined ? null : comment,
      columns: columns.map(([column, described]) => plainColumn(column, described)),
      key,
      indexes,
      references: referencesOf(await wire.rows(referencesQuery(table.name))),
      others: [
        ...columns.flatMap(([column, described]) => columnOthers(column, described, text, collation ?? null)),
        ...odd,
        ...tableOthers(text, engine ?? null),
      ],
    },
  };
}

function columnOthers(column: TypedColumn, about: ColumnAbout, { columns }: MysqlTableText, collation: string | null): string[] {
  const { name, extra, collation: own } = column;
  const text = columns.find((each) => each.name === name)?.text ?? '';
  const isComputed = computingOf(text) !== undefined;
  const check = column.isJson ? undefined : checkOf(text);
  const hasDefault = about.value !== null && about.value !== 'NULL' && !isComputed;
  return [
    ...(hasDefault && !plainDefault(column, about) ? [`The default of the column "${name}"`] : []),
    ...(isComputed ? [`The expression that computes the column "${name}"`] : []),
    ...(/on update/i.test(extra) ? [`What the column "${name}" becomes on every update`] : []),
    ...(own !== null && own !== collation && !column.isJson ? [`The collation of the column "${name}"`] : []),
    ...(check === undefined ? [] : [`The check of the column "${name}"`]),
  ];
}

function tableOthers({ checks, options }: MysqlTableText, engine: string | null): string[] {
  return [
    ...checks.map(({ name }) => `The check "${name}"`),
    ...(says(options, /PARTITION BY/) ? ['That the table is partitioned'] : []),
    ...(engine !== null && engine !== 'InnoDB' ? [`The engine ${engine}`] : []),
  ];
}

function indexesOf(rows: Rows): { key: string[]; indexes: PlainIndex[]; odd: string[] } {
  const [indexes, odd, key]: [PlainIndex[], string[], string[]] = [[], [], []];
  for (const name of new Set(rows.map(([index]) => index ?? ''))) {
    const parts = rows.filter(([index]) => index === name);
    const columns = parts.map(([, column, , direction]) => ({ name: column ?? '', isDescending: direction === 'D' }));
    const isUnique = parts[0]?.[2] === '0';
    const isShortened = parts.some(([, , , , part]) => part !== null);
    const isPlain = parts.every(([, column, , , , type]) => column !== null && type === 'BTREE') && !(isUnique && isShortened);
    if (name === 'PRIMARY') key.push(...columns.map((column) => column.name));
    else if (isPlain) indexes.push({ name, columns, isUnique, ...(isShortened && { isShortened }) });
    else odd.push(`The index "${name}"`);
  }
  return { key, indexes, odd };
}

function referencesQuery(table: string): string {
  return `select k.constraint_name, k.column_name, k.referenced_table_name, k.referenced_column_name, r.delete_rule, r.update_rule,
      k.referenced_table_schema = database(), k.referenced_table_schema
    from information_schema.key_column_usage k join information_schema.referential_constraints r
      on r.constraint_schema = k.constraint_schema and r.constraint_name = k.constraint_name and r.table_name = k.table_name
    where k.table_schema = database() and k.table_name = ${textLiteral(table)} and k.referenced_table_name is not null
    order by k.constraint_name, k.ordinal_position`;
}

function referencesOf(rows: Rows): PlainReference[] {
  return [...new Set(rows.map(([name]) => name ?? ''))].map((name) => {
    const parts = rows.filter((row) => row[0] === name);
    const [, , to, , onDelete, onUpdate, isHere, schema] = parts[0] ?? [];
    return {
      name,
      columns: parts.map((row) => row[1] ?? ''),
      to: isHere === '1' ? (to ?? '') : `${schema}.${to}`,
      toColumns: parts.map((row) => row[3] ?? ''),
      onDelete: (onDelete ?? '').toLowerCase() as ReferenceAction,
      onUpdate: (onUpdate ?? '').toLowerCase() as ReferenceAction,
    };
  });
}
