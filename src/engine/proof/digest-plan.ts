import type { Filter, Stream } from '../../connectors/contract.ts';
import { canCutBy, type Digesting, type DigestRows } from '../../connectors/digests.ts';
import { DELETED_AT } from '../../connectors/marks.ts';
import { abilitiesOf } from '../ends.ts';
import type { StreamPlan } from '../plan/plan.ts';
import type { StreamWork } from '../stream-work.ts';

/** One end, with what is asked of it. */
interface DigestEnd {
  readonly digests: Digesting;
  readonly rows: Omit<DigestRows, 'from'>;
}

/** How both ends can digest the rows of a stream themselves. */
export interface DigestPlan {
  readonly source: DigestEnd;
  readonly target: DigestEnd;
}

/**
 * Undefined where the ends would not digest the same: rows have no key that both order alike, or the mapping makes other values of those of the source. What is then
 * left is that a system cannot spell one of its own types alike, which it says itself.
 */
export function digestPlanOf({ plan, order, source, target: end, signal }: StreamWork, target: Stream | undefined): DigestPlan | undefined {
  if (!source.digests || !end.digests || !target) return undefined;
  if (!abilitiesOf(order.source.type).filters || !abilitiesOf(order.target.type).filters) return undefined;
  const fields = plainFields(plan, target);
  if (!fields || plan.engineFilters.length > 0) return undefined;
  const key = plan.write.key.map((name) => fields.find(({ to }) => to === name));
  const [ordered, ...others] = key.filter((field) => field !== undefined);
  const isSameKey = key.length === plan.read.key.length && key.every((field, at) => field?.from === plan.read.key[at]);
  if (!ordered || !isSameKey || !canCutBy(key.map((field) => field?.type))) return undefined;
  const rows = (stream: string, name: 'from' | 'to', filters: readonly Filter[]): DigestEnd['rows'] => {
    const named = fields.map((field) => ({ name: field[name], type: field.type }));
    return { stream, fields: named, key: [ordered[name], ...others.map((field) => field[name])], filters, signal };
  };
  const isMarking = plan.write.deletes === 'mark' && target.fields.some(({ name }) => name === DELETED_AT);
  return {
    source: { digests: source.digests, rows: rows(plan.read.stream, 'from', plan.read.filters) },
    target: { digests: end.digests, rows: rows(plan.write.stream, 'to', isMarking ? [{ field: DELETED_AT, op: 'is_null' }] : []) },
  };
}

/** The fields as both ends call them; undefined unless each has the value of a field of the source, as it is there. */
function plainFields({ outputs, sourceFields, write }: StreamPlan, target: Stream) {
  const fields = write.fields.map(({ name, type }) => {
    const output = outputs.find(({ to }) => to === name);
    const from = output?.from === undefined ? undefined : sourceFields[output.from];
    const there = target.fields.find((field) => field.name === name);
    const isPlain = output?.expression === undefined && from?.type === type && there?.type === type && output?.type === type;
    return isPlain && from ? { from: from.name, to: name, type } : undefined;
  });
  return fields.every((field) => field !== undefined) ? fields : undefined;
}
