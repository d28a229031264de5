import { placeholders } from '../answer/paths.ts';
import type { HttpStreamConfig, WriteConfig } from './config.ts';
import { isObjectText, pathFaults, type ReportFault } from './value-faults.ts';

/** What the schema cannot tell about lookups. */
export function lookupFaults({ lookups }: WriteConfig, { fields }: HttpStreamConfig, fault: ReportFault): void {
  const into = new Set<string>();
  lookups.forEach((lookup, i) => {
    const at = (field: string, reason: string): void => fault(`write.lookups[${i}].${field}`, reason);
    pathFaults('path', lookup.path, at);
    const names = placeholders(lookup.path);
    const strange = names.find((name) => name !== 'value');
    if (strange !== undefined) at('path', `has {${strange}}; only {value} can stand there`);
    if ((lookup.param === undefined) === (names.length === 0)) at('param', 'must be given, or {value} in the path instead of it');
    if (lookup.batch_size > 1 && names.length > 0) at('batch_size', 'must be 1 where the path holds the value');
    if (lookup.batch_size > 1 && lookup.match === undefined) at('match', 'is mandatory for several values at once: it says which is which');
    if (lookup.graphql?.variables !== undefined && !isObjectText(lookup.graphql.variables))
      at('graphql.variables', 'must be a JSON object');
    if (into.has(lookup.into) || lookup.into === lookup.field) at('into', 'must be a field of its own');
    into.add(lookup.into);
    if (fields && !fields.some(({ name }) => name === lookup.field)) at('field', 'is not among the fields');
  });
}
