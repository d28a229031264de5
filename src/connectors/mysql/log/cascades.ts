import type { LogStream } from '../../changes.ts';
import type { Wire } from '../wire/connection.ts';

// What a foreign key does to other tables by itself (ON DELETE CASCADE, SET NULL) happens within InnoDB: it is not in the log. So when a row is deleted that
// others hang on, the tables in which that may have changed something are told as lost, rather than be wrong without a word.

export interface ForeignKey {
  readonly parent: string;
  readonly child: string;
  readonly columns: readonly string[];
  readonly actsOnDelete: boolean;
  readonly actsOnUpdate: boolean;
}

/** What follows, for streams, from changes of a table that others refer to. */
export interface Cascade {
  readonly table: string;
  /** Streams that may be changed when a row of it is deleted. */
  readonly onDelete: readonly number[];
  /** Columns, and the streams that may be changed when one of them is. */
  readonly columns: readonly string[];
  readonly onUpdate: readonly number[];
}

const acts = (rule: string | null | undefined): boolean => /^(cascade|set null|set default)$/i.test(rule ?? '');

export async function foreignKeys(wire: Wire): Promise<ForeignKey[]> {
  const rows = await wire.rows(
    'select r.table_name, r.referenced_table_name, r.delete_rule, r.update_rule, r.constraint_name, k.referenced_column_name from information_schema.referential_constraints r ' +
      'join information_schema.key_column_usage k on k.constraint_schema = r.constraint_schema and k.constraint_name = r.constraint_name and k.table_name = r.table_name ' +
      "where r.constraint_schema = database() and (r.delete_rule not in ('RESTRICT', 'NO ACTION') or r.update_rule not in ('RESTRICT', 'NO ACTION')) order by r.table_name, r.constraint_name, k.ordinal_position",
  );
  const found = new Map<string, ForeignKey & { columns: string[] }>();
  for (const [child, parent, onDelete, onUpdate, name, column] of rows) {
    const key = found.get(`${child}\n${name}`) ?? {
      parent: parent ?? '',
      child: child ?? '',
      columns: [],
      actsOnDelete: acts(onDelete),
      actsOnUpdate: acts(onUpdate),
    };
    key.columns.push(column ?? '');
    found.set(`${child}\n${name}`, key);
  }
  return [...found.values()];
}

/** What follows from these keys for these streams. What changes in one table may change others in turn. */
export function cascadesOf(keys: readonly ForeignKey[], streams: readonly LogStream[], nameOf: (table: string) => string): Cascade[] {
  const placeOf = new Map(streams.map(({ stream }, i) => [nameOf(stream), i]));
  const reached = (children: readonly string[]): number[] => {
    const seen = new Set<string>();
    const waiting = [...children];
    for (let table = waiting.pop(); table !== undefined; table = waiting.pop()) {
      if (seen.has(table)) continue;
      seen.add(table);
      for (const { parent, child } of keys) if (nameOf(parent) === table) waiting.push(nameOf(child));
    }
    return [...seen].flatMap((table) => placeOf.get(table) ?? []);
  };
  return [...new Set(keys.map(({ parent }) => nameOf(parent)))]
    .map((table): Cascade => {
      const own = keys.filter(({ parent }) => nameOf(parent) === table);
      const updating = own.filter(({ actsOnUpdate }) => actsOnUpdate);
      return {
        table,
        onDelete: reached(own.filter(({ actsOnDelete }) => actsOnDelete).map(({ child }) => nameOf(child))),
        columns: [...new Set(updating.flatMap(({ columns }) => columns))],
        onUpdate: reached(updating.map(({ child }) => nameOf(child))),
      };
    })
    .filter(({ onDelete, onUpdate }) => onDelete.length + onUpdate.length > 0);
}
