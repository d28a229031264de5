import type { CanonicalType } from '../../connectors/canonical.ts';
import type { Field, Stream } from '../../connectors/contract.ts';
import { DELETED_AT } from '../../connectors/marks.ts';
import { foldName } from '../../connectors/naming.ts';
import { STREAM_KINDS } from '../../connectors/stream-kinds.ts';
import { castOf, castsFrom } from '../values/cast.ts';
import { holds } from '../values/compatible.ts';
import type { FieldMapping, SyncDefinition } from '../definition.ts';
import { READS_BY_CURSOR } from './cursors.ts';
import { type EndView, type Facts, type PlanFault, unknownField } from './end-view.ts';
import { checkExpression, compileExpression } from '../expression/expression.ts';
import type { OutputField } from '../mapping/mapping.ts';
import { fieldNameFaults, takenFieldFaults } from './names.ts';

export interface FieldPlan {
  /** What is read, in order: first what is written, then what only the key, the cursor, filters and expressions need. */
  readonly read: readonly Field[];
  readonly outputs: readonly OutputField[];
  readonly written: readonly Field[];
  /** The key by its names at the target. */
  readonly key: readonly string[];
  readonly faults: PlanFault[];
}

/** A field of the target, understood. */
interface Output {
  readonly written: Field;
  readonly source?: Field;
  readonly expression?: string;
  /** The fields that the expression looks at. */
  readonly uses?: readonly string[];
}

/** Which fields are read, what becomes of them, and which are written. */
export function planFields(facts: Facts, present: readonly Field[], schemaChanges: SyncDefinition['schema_changes']): FieldPlan {
  const { definition, source, target } = facts;
  const faults: PlanFault[] = [];
  const mappings = definition.fields ?? present.map(({ name }): FieldMapping => ({ from: name, to: name }));
  if (mappings.length === 0)
    faults.push({ member: definition.fields ? 'fields' : 'source', reason: 'has no fields, so there is nothing to write' });
  const outputs: Output[] = [];
  for (const [at, mapping] of mappings.entries()) {
    const member = definition.fields ? `fields[${at}]` : undefined;
    const output = outputOf(mapping, present, source.stream, target, member, faults);
    if (output) outputs.push(output);
    if (output) faults.push(...columnFaults(output, mapping, target, schemaChanges, member));
  }
  faults.push(
    ...nameFaults(mappings, facts),
    ...fieldNameFaults(facts, mappings, (name) => columnOf(target, name) !== undefined),
    ...takenFieldFaults(facts, mappings),
    ...writtenKeyFaults(facts, mappings),
  );

  const needed = [
    ...outputs.flatMap(({ source: field }) => (field ? [field.name] : [])),
    ...definition.key,
    ...(definition.cursor !== null && READS_BY_CURSOR[definition.mode] ? [definition.cursor] : []),
    // Nobody filters a log for us.
    ...(source.abilities.filters && definition.mode !== 'cdc' ? [] : definition.filter.map(({ field }) => field)),
    ...outputs.flatMap(({ uses = [] }) => uses),
  ];
  const read = [...new Set(needed)].flatMap((name) => present.find((field) => field.name === name) ?? []);
  return {
    read,
    outputs: outputs.map(({ written: { name: to, type }, source: field, expression }) => ({
      to,
      type,
      ...(field && { from: read.indexOf(field) }),
      ...(expression !== undefined && { expression }),
    })),
    written: outputs.map(({ written }) => written),
    key: definition.key.flatMap((name) => outputs.find(({ source: field }) => field?.name === name)?.written.name ?? []),
    faults,
  };
}

function outputOf(
  mapping: FieldMapping,
  present: readonly Field[],
  stream: Stream,
  target: EndView,
  member: string | undefined,
  faults: PlanFault[],
): Output | undefined {
  const { to, type } = mapping;
  if ('expression' in mapping) {
    const { expression } = mapping;
    const checked = checkExpression(expression, present);
    if ('fault' in checked) faults.push({ member: `${member}.expression`, reason: checked.fault });
    else if (type !== undefined && !castOf(checked.type, type)) faults.push(noCast(`${member}.type`, checked.type, type));
    else {
      const uses = compileExpression(expression, present).uses.flatMap((at) => present[at]?.name ?? []);
      return { written: { name: to, type: type ?? checked.type, nullable: true }, expression, uses };
    }
    return undefined;
  }
  const source = present.find(({ name }) => name === mapping.from);
  if (!source) {
    faults.push({ member: `${member}.from`, reason: unknownField(mapping.from, stream) });
    return undefined;
  }
  if (type !== undefined && type !== source.type) {
    if (castOf(source.type, type)) return { written: { name: to, type, nullable: source.nullable }, source };
    faults.push(noCast(`${member}.type`, source.type, type));
    return undefined;
  }
  // A column that holds every value of the field gets them in its own spelling, without being told to. The types of a
  // file are guesses, and one odd cell changes them: what the column takes arrives, and the odd cell is rejected.
  const column = columnOf(target, to);
  const fits = column && (holds(column.type, source.type) || (STREAM_KINDS[stream.kind].guessesTypes && castOf(source.type, column.type)));
  const own = column && column.type !== source.type && fits ? column.type : undefined;
  if (own && type === undefined) return { written: { name: to, type: own, nullable: source.nullable }, source };
  return { written: { ...source, name: to }, source };
}

function noCast(member: string, from: CanonicalType, to: CanonicalType): PlanFault {
  return { member, reason: `cannot be ${to}: ${from} can become ${castsFrom(from).join(', ')}` };
}

/** The column that a name stands for, where types bind. */
function columnOf({ naming, stream }: EndView, name: string): Field | undefined {
  if (!stream || !STREAM_KINDS[stream.kind].bindsTypes) return undefined;
  const exact = stream.fields.find((field) => field.name === name);
  return exact ?? stream.fields.find((field) => foldName(field.name, naming) === foldName(name, naming));
}

/** Whether the target's own column takes what is to be written. */
function columnFaults(
  { written, source }: Output,
  mapping: FieldMapping,
  target: EndView,
  schemaChanges: SyncDefinition['schema_changes'],
  member: string | undefined,
): PlanFault[] {
  const { stream } = target;
  if (!stream || !STREAM_KINDS[stream.kind].bindsTypes) return [];
  const column = columnOf(target, written.name);
  if (!column) {
    if (schemaChanges !== 'ignore') return [];
    const reason = `"${stream.name}" has no column "${written.name}". Add it there, leave the field out, or set schema_changes to apply`;
    return [{ member: member ? `${member}.to` : 'target', reason: member ? `cannot be written: ${reason}` : `lacks a field: ${reason}` }];
  }
  if (holds(column.type, written.type)) return [];
  if (schemaChanges !== 'ignore' && target.abilities.widens && written.type === 'decimal' && column.type === 'int64') return [];
  const cast = castOf(written.type, column.type)
    ? `To cast it, map the field as ${column.type}: ${JSON.stringify({ ...mapping, type: column.type })} in fields`
    : 'Write it to another column';
  const what =
    source && mapping.type === undefined
      ? `"${source.name}" is ${written.type} at the source`
      : `"${written.name}" would be ${written.type}`;
  const reason = `does not fit: ${what}, and the column "${column.name}" of "${stream.name}" is ${column.type}. ${cast}`;
  return [{ member: member ?? 'fields', reason }];
}

function nameFaults(mappings: readonly FieldMapping[], { definition, target }: Facts): PlanFault[] {
  const fold = (name: string): string => foldName(name, target.naming);
  const seen = new Map<string, string>();
  return mappings.flatMap(({ to }, at): PlanFault[] => {
    const member = definition.fields ? `fields[${at}].to` : 'fields';
    const earlier = seen.get(fold(to));
    if (definition.deletes === 'mark' && fold(to) === DELETED_AT)
      return [{ member, reason: `cannot be "${DELETED_AT}": that is where rows that are gone are marked` }];
    if (earlier === to) return [{ member, reason: `is "${to}" a second time` }];
    if (earlier !== undefined) {
      const why = `"${earlier}" and "${to}" are one column at the target, which does not tell upper and lower case apart`;
      const advice = `Write them out, one of the two as {"from": ${JSON.stringify(to)}, "to": "another_name"}`;
      return [{ member, reason: definition.fields ? `cannot be "${to}": ${why}` : `cannot be left out: ${why}. ${advice}` }];
    }
    seen.set(fold(to), to);
    return [];
  });
}

/** Rows are found at the target by their key, so the key has to be there. */
function writtenKeyFaults({ definition: { mode, key }, source: { stream } }: Facts, mappings: readonly FieldMapping[]): PlanFault[] {
  if (mode === 'append') return [];
  const written = new Set(mappings.flatMap((mapping) => ('from' in mapping ? [mapping.from] : [])));
  return stream.fields
    .filter(({ name }) => key.includes(name) && !written.has(name))
    .map(({ name }) => ({
      member: 'key',
      reason: `names "${name}", which is not among the fields that are written: rows are found by it`,
    }));
}
