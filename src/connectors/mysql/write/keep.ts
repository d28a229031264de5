import { bisect } from '../../bisect.ts';
import type { Row } from '../../canonical.ts';
import type { Field } from '../../contract.ts';
import { encodeRows } from '../../lines.ts';
import { membersOf, type TypedColumn, writingOf } from '../catalogue/columns.ts';
import { LineReader } from './line-reader.ts';
import { quote } from '../catalogue/literals.ts';
import { KEPT } from './stage.ts';
import type { MysqlTarget } from './target.ts';

/** An index holds 3,072 bytes, which may be two letters each here: a longer key has no row in the table. */
const LONGEST = 8192;
/** So many of the longest are less than the smallest packet that servers usually take. */
const AT_ONCE = 100;

/** A row that cannot be used is not gone from the source: what the table has of it stays. */
export async function keep({ wire, request, columns, key }: MysqlTarget, stage: string, keys: readonly Row[]): Promise<void> {
  const reader = new LineReader(
    key.map((name, at) => {
      const column = columns.find((each) => each.name === name) as TypedColumn;
      const writing = writingOf(request.fields.find((field) => field.name === request.key[at]) as Field, column);
      return writing === 'enum' ? { writing, members: membersOf(column) } : { writing };
    }),
  );
  const insert = Buffer.from(`insert into ${quote(stage)} (${key.map(quote).join(', ')}, ${quote(KEPT)}) values `);
  // A row that is there already is a good one, and stays so.
  const unless = Buffer.from(` on duplicate key update ${quote(KEPT)} = ${quote(KEPT)}`);
  const lines = keys.map((values) => encodeRows([values])).filter((line) => line.length <= LONGEST);
  for (let at = 0; at < lines.length; at += AT_ONCE) {
    // A key that the columns refuse has no row in the table either.
    await bisect(lines.slice(at, at + AT_ONCE), async (slice) => {
      const rows = slice.flatMap((line, place) => [
        Buffer.from(place === 0 ? '' : ', '),
        reader.values(line, 0, line.length).subarray(0, -1),
        Buffer.from(', 1)'),
      ]);
      await wire.run(Buffer.concat([insert, ...rows, unless]));
    });
  }
}
