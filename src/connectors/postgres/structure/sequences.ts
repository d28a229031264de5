import { nameAt } from '../../sql-target/structure/plan.ts';
import { quoteName, quoteRelation, quoteText, type RelationName } from '../catalogue/names.ts';
import type { DescribedColumn, DescribedSequence } from './described.ts';
import { refusalOf, type Site, type StructureStep } from './site.ts';

/** Where a sequence of the source is at the target: it moves with its table. */
function placeOf({ wanted, table }: Site, { schema, name }: DescribedSequence): RelationName {
  return { schema: schema === wanted.schema ? table.schema : schema, name };
}

/** Where the numbers of a column come from, and that they do: an identity, or a sequence and the default. */
export function numberingOf(site: Site, column: DescribedColumn, name: string): StructureStep | undefined {
  const { sequence, identity } = column;
  if (!sequence) return undefined;
  const { place } = site;
  const at = quoteRelation(placeOf(site, sequence));
  const what = `The sequence ${at} of the column "${name}"`;
  const options = sequence.options.replace(/^as \w+ /, '');
  const [set, number] = [`alter table ${place} alter column ${quoteName(name)}`, setting(sequence, at)];
  const owns = `select from pg_catalog.pg_attribute where attrelid = ${quoteText(place)}::regclass and attname = ${quoteText(name)}`;
  if (identity)
    return {
      what,
      lacking: 'structure',
      isThere: `${owns} and attidentity <> ''`,
      make: `${set} add generated ${identity === 'a' ? 'always' : 'by default'} as identity (sequence name ${at} ${options})${number}`,
    };
  const uses = column.default?.startsWith("nextval('") && column.default.endsWith("'::regclass)");
  const value = uses ? `nextval(${quoteText(at)}::regclass)` : column.default;
  const made = sequence.isOwned
    ? `create sequence ${at} ${sequence.options}; alter sequence ${at} owned by ${place}.${quoteName(name)}`
    : `create sequence if not exists ${at} ${sequence.options}`;
  return {
    what,
    lacking: 'structure',
    isThere: `${owns} and atthasdef`,
    make: `${made}; ${set} set default ${value}${sequence.isOwned ? number : ''}`,
  };
}

function setting({ last, isCalled }: DescribedSequence, at: string): string {
  return last === null ? '' : `; select setval(${quoteText(at)}::regclass, ${BigInt(last)}, ${isCalled})`;
}

/** Moves the sequences of a table to where those of the source are, and never back: numbers may have been taken here, too. */
export async function moveSequences(site: Site): Promise<void> {
  const { link, wanted, stream, warnings } = site;
  for (const { name, sequence } of wanted.columns) {
    if (!sequence || nameAt(stream, name) === undefined) continue;
    const at = quoteRelation(placeOf(site, sequence));
    if (sequence.last === null) {
      warnings.push(`The sequence ${at} could not be set: that of the source may not be seen. Its user needs SELECT on it.`);
      continue;
    }
    try {
      const [found] = await link.query(`select where to_regclass(${quoteText(at)}) is not null`);
      const isBehind = `(last_value ${sequence.isDescending ? '>' : '<'} ${BigInt(sequence.last)} or (last_value = ${BigInt(sequence.last)} and not is_called and ${sequence.isCalled}))`;
      if (found)
        await link.query(
          `select setval(${quoteText(at)}::regclass, ${BigInt(sequence.last)}, ${sequence.isCalled})::text from ${at} where ${isBehind}`,
        );
    } catch (error) {
      warnings.push(`The sequence ${at} could not be set: ${refusalOf(error)}.`);
    }
  }
}
