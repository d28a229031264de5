import { type CanonicalType, isCanonical } from '../../connectors/canonical.ts';
import type { Filter, Stream } from '../../connectors/contract.ts';
import { STREAM_KINDS } from '../../connectors/stream-kinds.ts';
import type { Mode } from '../definition.ts';
import { type EndView, type Facts, joined, type PlanFault, unknownField } from './end-view.ts';
import { isAskedByField, possibleCursors, READS_BY_CURSOR } from './cursors.ts';
import { streamNameFault } from './names.ts';
import { canMirror, canRemove, modesInto } from './write-modes.ts';

/** What stands against the wishes of a definition, apart from its fields. */
export function rulesOf(facts: Facts): PlanFault[] {
  return [
    ...targetFaults(facts),
    ...modeFaults(facts),
    ...keyFaults(facts),
    ...cursorFaults(facts),
    ...filterFaults(facts),
    ...deleteFaults(facts),
  ];
}

function targetFaults({ definition, target, onlyReads }: Facts): PlanFault[] {
  const { type, abilities, stream } = target;
  if (abilities.write.length === 0) return [{ member: 'target', reason: `cannot be written to: ${type} can only be read` }];
  if (!stream && !abilities.createsStreams)
    return [{ member: 'target', reason: `does not exist at the target, and ${type} cannot make it` }];
  const name = stream ? undefined : streamNameFault(definition.target, target);
  if (name !== undefined) return [{ member: 'target', reason: name }];
  if (stream && !stream.writable && !onlyReads) {
    const why = stream.note ?? (stream.kind === 'view' ? 'it is a view' : 'it can only be read');
    return [{ member: 'target', reason: `cannot be written to: ${why}` }];
  }
  return [];
}

function modeFaults({ definition: { mode, key }, source, target }: Facts): PlanFault[] {
  const possible = modesInto(target);
  const into = target.stream?.takes?.modes ? `"${target.stream.name}"` : target.type;
  if (possible.length > 0 && !possible.includes(mode))
    return [{ member: 'mode', reason: `cannot be ${mode} for the target: ${into} takes mode ${joined(possible, 'or')}` }];
  if (mode === 'cdc' && !source.abilities.log)
    return [{ member: 'mode', reason: `cannot be cdc: ${source.type} has no log that can be followed${orMirror(target, key)}` }];
  if (mode === 'cdc' && source.stream.notFollowed !== undefined)
    return [
      {
        member: 'mode',
        reason: `cannot be cdc: "${source.stream.name}" cannot be followed: ${source.stream.notFollowed}${orMirror(target, key)}`,
      },
    ];
  if (READS_BY_CURSOR[mode] && !source.abilities.incremental)
    return [{ member: 'mode', reason: `cannot be ${mode}: ${source.type} does not tell what is new${orMirror(target, key)}` }];
  return [];
}

/** `. Use mirror`, but only where that is possible. */
function orMirror(target: EndView, key: readonly string[]): string {
  return canMirror(target, key) ? '. Use mirror' : '';
}

function keyFaults({ definition: { mode, key, deletes }, source: { stream }, target }: Facts): PlanFault[] {
  const faults = key
    .filter((name) => !stream.fields.some((field) => field.name === name))
    .map((name) => ({ member: 'key', reason: unknownField(name, stream) }));
  if (key.length > 0 || mode === 'append') return faults;
  const none = `"${stream.name}" has none of its own`;
  const others = [
    ...(mode !== 'mirror' && canMirror(target, key) ? ['mode mirror'] : []),
    ...(modesInto(target).includes('append') ? ['mode append, which only adds rows'] : []),
  ];
  const advice = `Name the fields that tell rows apart${exampleKey(stream)}${others.length > 0 ? `, or use ${others.join(' or ')}` : ''}`;
  if (mode !== 'mirror') return [{ member: 'key', reason: `is mandatory: ${none}, and changed rows are found by it. ${advice}` }];
  if (!target.abilities.keylessMirror)
    return [{ member: 'key', reason: `is mandatory: ${none}, and ${target.type} finds rows by it. ${advice}` }];
  if (deletes !== 'delete') return [{ member: 'key', reason: `is mandatory with deletes "${deletes}": ${none} to find rows by` }];
  return faults;
}

/** `, such as ["id"]`, when there is a field that may well tell rows apart. */
function exampleKey({ fields }: Stream): string {
  const likely = fields.find(({ name, nullable }) => !nullable && /id$/i.test(name));
  return likely ? `, such as ["${likely.name}"]` : '';
}

// By these, what comes later is larger.
const GROWING: ReadonlySet<CanonicalType> = new Set(['int64', 'decimal', 'float64', 'date', 'timestamp', 'timestamptz', 'text']);

function cursorFaults({ definition: { mode, cursor, key }, source: { stream }, target }: Facts): PlanFault[] {
  const fault = (reason: string): PlanFault[] => [{ member: 'cursor', reason }];
  const possible = possibleCursors(stream, mode);
  if (!READS_BY_CURSOR[mode]) {
    const why = mode === 'mirror' ? 'to a mirror, which reads everything' : 'with mode cdc: the log tells what is new';
    return cursor === null ? [] : fault(`is of no use ${why}. Leave it out`);
  }
  if (cursor === null) {
    if (STREAM_KINDS[stream.kind].isReadOnByPlace) return [];
    const what = mode === 'incremental' ? 'which rows are new or changed' : 'which rows are new';
    if (possible !== '') return fault(`is mandatory for ${mode}: no field tells for certain ${what}${possible}`);
    return fault(`is mandatory for ${mode}, and "${stream.name}" has no field that tells ${what}${orMirror(target, key)}`);
  }
  const field = stream.fields.find(({ name }) => name === cursor);
  if (!field) return fault(unknownField(cursor, stream));
  if (isAskedByField(stream) ? !GROWING.has(field.type) : !stream.cursors.includes(cursor))
    return fault(`cannot be "${cursor}" (${field.type}), which does not tell what is new${possible}`);
  return [];
}

const UNORDERED: ReadonlySet<CanonicalType> = new Set(['json', 'binary', 'boolean', 'uuid']);

function filterFaults({ definition: { filter }, source: { stream } }: Facts): PlanFault[] {
  return filter.flatMap(({ field, op, value }, at): PlanFault[] => {
    const found = stream.fields.find(({ name }) => name === field);
    if (!found) return [{ member: `filter[${at}].field`, reason: unknownField(field, stream) }];
    const { type } = found;
    if (type === 'json' && op !== 'is_null' && op !== 'not_null')
      return [{ member: `filter[${at}].op`, reason: `cannot be "${op}" for a field of the type json: it can be is_null or not_null` }];
    if (/[<>]/.test(op) && UNORDERED.has(type))
      return [{ member: `filter[${at}].op`, reason: `cannot be "${op}" for a field of the type ${type}, which has no order` }];
    return valueFaults(op, value, type, `filter[${at}].value`);
  });
}

function valueFaults(op: Filter['op'], value: Filter['value'], type: CanonicalType, member: string): PlanFault[] {
  if (op === 'is_null' || op === 'not_null') return value === undefined ? [] : [{ member, reason: `must be left out with "${op}"` }];
  if (value === undefined) return [{ member, reason: 'is mandatory' }];
  if (Array.isArray(value) !== (op === 'in')) return [{ member, reason: op === 'in' ? 'must be a list for "in"' : 'must be one value' }];
  if (value.length === 0 && op === 'in') return [{ member, reason: 'must not be an empty list: no row would be read' }];
  const wrong = [value].flat().find((one) => !isCanonical(type, one));
  return wrong === undefined ? [] : [{ member, reason: `is not of the type ${type} of the field: ${JSON.stringify(wrong.slice(0, 100))}` }];
}

/** Whether rows that are gone at the source are noticed at all. */
export function seesDeletions(mode: Mode, { abilities, stream }: EndView): boolean {
  const isTold = abilities.tellsDeletions ?? stream?.tellsDeletions ?? false;
  return mode === 'mirror' || mode === 'cdc' || (mode === 'incremental' && isTold);
}

function deleteFaults({ definition: { mode, deletes, key }, source, target }: Facts): PlanFault[] {
  const fault = (reason: string): PlanFault[] => [{ member: 'deletes', reason: `cannot be "${deletes}": ${reason}` }];
  const into = target.stream?.takes ? `"${target.stream.name}"` : target.type;
  if (deletes === 'keep') return [];
  if (mode === 'append') return fault('append only adds rows. Leave it out, or use keep');
  if (!seesDeletions(mode, source))
    return fault(`what was deleted is not found by a cursor. Use ${canMirror(target, key) ? 'mode mirror, or ' : ''}deletes keep`);
  if (deletes === 'mark' && !target.abilities.createsStreams)
    return fault(`${target.type} has no place for the mark. Use ${canRemove(target) ? 'delete or ' : ''}keep`);
  return canRemove(target) ? [] : fault(`nothing can be removed from ${into}. Use keep`);
}
