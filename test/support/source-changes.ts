import type { Row } from '../../src/connectors/canonical.ts';
import type { NewStream, SourceChange } from '../../src/connectors/conformance/harness.ts';

/** How a database spells names and parameters. */
interface Spelling {
  table(stream: string): string;
  column(name: string): string;
  /** The parameter of this number, from one on. */
  parameter(number: number): string;
}

/** A change of the conformance suite as a statement, with its values. */
export function statementOf(change: SourceChange, spelling: Spelling): { sql: string; values: (string | null)[] } {
  const { stream } = change;
  const table = spelling.table(stream.name);
  const values: (string | null)[] = [];
  const parameter = (value: string | null): string => spelling.parameter(values.push(value));
  const each = (row: Row, names: readonly string[]): string[] =>
    names.map((name, at) => `${spelling.column(name)} = ${parameter(row[at] ?? null)}`);
  const sql = ((): string => {
    if (change.op === 'truncate') return `truncate table ${table}`;
    if (change.op === 'delete') return `delete from ${table} where ${each(change.key, stream.key).join(' and ')}`;
    const columns = names(stream);
    if (change.op === 'insert')
      return `insert into ${table} (${columns.map((name) => spelling.column(name)).join(', ')}) values (${change.row.map(parameter).join(', ')})`;
    const set = each(change.row, columns).join(', ');
    return `update ${table} set ${set} where ${each(change.key, stream.key).join(' and ')}`;
  })();
  return { sql, values };
}

function names({ fields }: NewStream): string[] {
  return fields.map(({ name }) => name);
}
