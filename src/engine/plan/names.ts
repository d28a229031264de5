import { isKept, OWN_SCHEMA } from '../../connectors/own-tables.ts';
import { type Naming, partsOf, ruleFault, shownName } from '../../connectors/naming.ts';
import type { FieldMapping } from '../definition.ts';
import { type EndView, type Facts, listed, type PlanFault } from './end-view.ts';

/** Why a stream cannot be read: what Syncline keeps for itself in a database is no data. */
export function ownStreamFault(name: string, { abilities, naming }: Pick<EndView, 'abilities' | 'naming'>): string | undefined {
  const { schema, table } = (naming.schemas && partsOf(name)) ?? { table: name, schema: undefined };
  return abilities.keepsTables && (isKept(table) || schema === OWN_SCHEMA) ? ownTableFault(name) : undefined;
}

export function ownTableFault(name: string): string {
  return `is one of Syncline's own tables, or shows what is in one: "${name}". Choose another`;
}

/** Why a stream of this name cannot be made in a system; undefined when it can. */
export function streamNameFault(name: string, target: EndView): string | undefined {
  const own = ownStreamFault(name, target);
  if (own !== undefined) return own;
  const why = ruledOut(name, target.naming);
  return why === undefined ? undefined : `cannot be ${shownName(name)}: ${why}`;
}

function ruledOut(name: string, { schemas, streams = [] }: Naming): string | undefined {
  if (!schemas) return ruleFault(name, streams);
  const parts = partsOf(name);
  if (!parts) return 'write schema.table; a part with dots or quotes in it stands in double quotes';
  const { schema, table } = parts;
  return (schema === undefined ? undefined : ruleFault(schema, schemas.rules)) ?? ruleFault(table, streams);
}

/** Names of new columns that the target cannot have. `hasColumn`: it is there already, so it can. */
export function fieldNameFaults(
  { definition, target }: Facts,
  mappings: readonly FieldMapping[],
  hasColumn: (name: string) => boolean,
): PlanFault[] {
  return mappings.flatMap((mapping, at): PlanFault[] => {
    const why = hasColumn(mapping.to) ? undefined : ruleFault(mapping.to, target.naming.fields ?? []);
    if (why === undefined) return [];
    if (definition.fields) return [{ member: `fields[${at}].to`, reason: `cannot be ${shownName(mapping.to)}: ${why}` }];
    const advice = `Write them out, this one as {"from": ${shownName(mapping.to)}, "to": "another_name"}`;
    return [{ member: 'fields', reason: `cannot be left out: ${shownName(mapping.to)} needs another name, as ${why}. ${advice}` }];
  });
}

/** Fields that the target does not take, and those that it cannot do without. */
export function takenFieldFaults({ definition, target }: Facts, mappings: readonly FieldMapping[]): PlanFault[] {
  const { stream } = target;
  const { fields: taken, needs = [] } = stream?.takes ?? {};
  if (!stream) return [];
  const strange = mappings.map(({ to }, at) => ({ to, at })).filter(({ to }) => taken !== undefined && !taken.includes(to));
  const missing = needs.filter((name) => !mappings.some(({ to }) => to === name));
  const faults = missing.map((name) => ({ member: 'fields', reason: `must write "${name}": "${stream.name}" takes nothing without it` }));
  if (strange.length === 0 || !taken) return faults;
  const takes = `"${stream.name}" takes ${listed(taken)}`;
  const isMade = (name: string): boolean => stream.fields.some((field) => field.name === name);
  if (definition.fields) {
    const why = (name: string): string => (isMade(name) ? `it is made there and cannot be written; ${takes}. Leave it out` : takes);
    return [...faults, ...strange.map(({ to, at }) => ({ member: `fields[${at}].to`, reason: `cannot be ${shownName(to)}: ${why(to)}` }))];
  }
  const made = strange.filter(({ to }) => isMade(to)).map(({ to }) => to);
  const unknown = strange.filter(({ to }) => !isMade(to)).map(({ to }) => to);
  const why = [
    ...(unknown.length > 0 ? [`the target does not know ${listed(unknown)}`] : []),
    ...(made.length > 0 ? [`the target makes ${listed(made)} itself`] : []),
  ].join(', and ');
  return [
    {
      member: 'fields',
      reason: `cannot be left out: ${why}; ${takes}. Write those that are meant, such as ${example(mappings, taken, needs)}`,
    },
  ];
}

// A longer example is not read.
const MOST_EXAMPLES = 8;

/** The mapping that is likely meant: what has the same name at both ends, or else how one field is written. */
function example(mappings: readonly FieldMapping[], taken: readonly string[], needs: readonly string[]): string {
  const same = mappings.map(({ to }) => to).filter((name) => taken.includes(name));
  if (same.length > 0 && same.length <= MOST_EXAMPLES && needs.every((name) => same.includes(name)))
    return JSON.stringify(same.map((name) => ({ from: name, to: name })));
  return JSON.stringify([{ from: same[0] ?? mappings[0]?.to, to: needs[0] ?? taken[0] }]);
}
