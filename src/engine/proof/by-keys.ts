import type { Row } from '../../connectors/canonical.ts';
import type { Filter } from '../../connectors/contract.ts';
import type { StreamPlan } from '../plan/plan.ts';

/** More keys are not asked for at once. */
const KEYS_AT_ONCE = 500;
/** More rows are found by reading everything. */
const MOST_ASKED = 5_000;

/** The filters that find rows with these keys at both ends, some keys at a time; undefined when everything has to be read for it. */
export interface AskedKeys {
  readonly source: readonly Filter[];
  readonly target: readonly Filter[];
}

/**
 * How rows with these keys, as the target has them, are asked for. A field of the key with the same values at both ends is asked by: others are found by
 * reading everything, as nobody knows which value of the source has become which of the target.
 */
export function askedByKeys(
  plan: StreamPlan,
  keys: ReadonlyMap<string, Row> | undefined,
  filters: { readonly source: boolean; readonly target: boolean },
): AskedKeys[] | undefined {
  const [name, sourceName] = [plan.write.key[0], plan.read.key[0]];
  if (!keys || keys.size > MOST_ASKED || name === undefined || sourceName === undefined || !filters.source || !filters.target)
    return undefined;
  const [output, field] = [plan.outputs.find(({ to }) => to === name), plan.sourceFields.find((one) => one.name === sourceName)];
  if (output?.from === undefined || output.type !== field?.type || plan.sourceFields[output.from] !== field) return undefined;
  const values = new Set([...keys.values()].map(([first]) => first ?? null));
  if (values.has(null)) return undefined;
  const texts = [...values] as string[];
  const pieces = Array.from({ length: Math.ceil(texts.length / KEYS_AT_ONCE) }, (_, at) =>
    texts.slice(at * KEYS_AT_ONCE, (at + 1) * KEYS_AT_ONCE),
  );
  return pieces.map((value) => ({ source: [{ field: sourceName, op: 'in', value }], target: [{ field: name, op: 'in', value }] }));
}
