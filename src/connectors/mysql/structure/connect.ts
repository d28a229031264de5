import { NameChoice } from '../../sql-target/structure/fit-name.ts';
import { planOf, referenceWords } from '../../sql-target/structure/plan.ts';
import type { PlainReference, StructuredStream } from '../../structure.ts';
import { quote, textLiteral } from '../catalogue/literals.ts';
import type { Wire } from '../wire/connection.ts';
import { attempt, commentOption, type MysqlSite, moveNumber, ROOM, waitForTurn } from './complete.ts';
import { comment, lackingOf } from './marks.ts';

/** Makes the foreign keys between tables that are complete, and moves next numbers forward. */
export async function connect({ wire }: MysqlSite, streams: readonly StructuredStream[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const told = new Map<string, readonly string[]>();
  for (const stream of streams) {
    const warnings: string[] = [];
    if (stream.connects) await refer(wire, stream, streams, warnings);
    await moveNumber(wire, stream, warnings);
    told.set(stream.stream, warnings);
  }
  return told;
}

/** Those to a table that is not loaded yet are left for the next time, and with them the mark. */
async function refer(wire: Wire, stream: StructuredStream, streams: readonly StructuredStream[], warnings: string[]): Promise<void> {
  if ((await lackingOf(wire, stream.stream, stream.owner))?.lacking !== 'references') return;
  await waitForTurn(wire, stream.owner);
  if ((await lackingOf(wire, stream.stream, stream.owner))?.lacking !== 'references') return;
  let isWaiting = false;
  const plan = planOf(stream);
  const names = new NameChoice(ROOM);
  for (const reference of plan.references) {
    const to = streams.find((other) => other.stream === reference.to);
    if (to && (await lackingOf(wire, to.stream, to.owner))?.lacking === 'structure') isWaiting = true;
    else await addReference(wire, stream.stream, reference, names, warnings);
  }
  if (!isWaiting) await comment(wire, stream.stream, commentOption(plan));
}

async function addReference(wire: Wire, table: string, reference: PlainReference, names: NameChoice, warnings: string[]): Promise<void> {
  const { columns, to, toColumns, onDelete, onUpdate } = reference;
  const owners = async (name: string): Promise<(string | null | undefined)[]> =>
    (
      await wire.rows(
        `select table_name from information_schema.table_constraints where constraint_schema = database() and constraint_type = 'FOREIGN KEY' and constraint_name = ${textLiteral(name)}`,
      )
    ).map(([owner]) => owner);
  // All foreign keys of a database share their names here.
  const wanted = reference.name ?? `${table}_${columns.join('_')}_fkey`;
  let name = names.choose([wanted]);
  while ((await owners(name)).some((owner) => owner !== table)) name = names.choose([`${table}_${wanted}`]);
  if ((await owners(name)).length > 0) return;
  const list = (names: readonly string[]): string => names.map(quote).join(', ');
  const statement = `alter table ${quote(table)} add constraint ${quote(name)} foreign key (${list(columns)}) references ${quote(to)} (${list(toColumns)}) on delete ${onDelete} on update ${onUpdate}`;
  await attempt(wire, { what: `${referenceWords(reference)} of "${table}" to "${to}"`, statement }, warnings);
}
