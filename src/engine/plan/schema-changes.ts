import type { Field } from '../../connectors/contract.ts';
import type { SyncDefinition } from '../definition.ts';

export interface SchemaChanges {
  /** The fields that may be read. */
  readonly fields: readonly Field[];
  /** What changed, in words. */
  readonly notices: string[];
  /** Why one cannot go on. */
  readonly fault: string | undefined;
}

/** Holds the fields of a stream against those of the last run. `isWhole`: all of them are wanted, whatever they are. */
export function compareSchemas(
  present: readonly Field[],
  known: readonly Field[] | null,
  policy: SyncDefinition['schema_changes'],
  isWhole: boolean,
): SchemaChanges {
  if (known === null) return { fields: present, notices: [], fault: undefined };
  const before = new Map(known.map((field) => [field.name, field.type]));
  const now = new Set(present.map(({ name }) => name));
  const added = present.filter(({ name }) => !before.has(name));
  const removed = known.filter(({ name }) => !now.has(name));
  const changed = present.filter(({ name, type }) => before.has(name) && before.get(name) !== type);

  if (policy === 'ignore')
    return { fields: isWhole ? present.filter(({ name }) => before.has(name)) : present, notices: [], fault: undefined };
  if (policy === 'stop') {
    const words = [
      ...added.map(({ name, type }) => `"${name}" (${type}) is new`),
      ...removed.map(({ name }) => `"${name}" is gone`),
      ...changed.map(({ name, type }) => `"${name}" was ${before.get(name)} and is ${type}`),
    ];
    const fault =
      words.length === 0
        ? undefined
        : `has other fields than at the last run: ${words.join(', ')}. To go on with them, save the synchronization again`;
    return { fields: present, notices: [], fault };
  }
  const notices = [
    ...(isWhole ? added : []).map(({ name, type }) => `The field "${name}" (${type}) is new at the source and is added at the target.`),
    ...(isWhole ? removed : []).map(({ name }) => `The field "${name}" is gone at the source; at the target it stays as it is.`),
    ...changed.map(({ name, type }) => `The field "${name}" was ${before.get(name)} at the source and is ${type} now.`),
  ];
  return { fields: present, notices, fault: undefined };
}
