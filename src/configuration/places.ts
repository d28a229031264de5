import { isJsonObject } from '../lib/exact-json.ts';

// A place in a document, as faults name it: `syncs.customers to the warehouse.streams[2].cursor`. Names may have dots, so what is
// there decides where one ends.

export type PlaceStep = string | number;

/** The steps to a place; what is not there any more is the last step, as it is written. */
export function stepsTo(document: unknown, field: string): PlaceStep[] {
  const steps: PlaceStep[] = [];
  let [value, rest]: [unknown, string] = [document, field];
  while (rest !== '') {
    const step = Array.isArray(value) ? entryStep(value, rest) : memberStep(value, rest);
    if (!step) return [...steps, rest];
    steps.push(step.step);
    value = (value as Record<PlaceStep, unknown>)[step.step];
    rest = rest.slice(step.length).replace(/^\./, '');
  }
  return steps;
}

export function placeOf(steps: readonly PlaceStep[]): string {
  return steps.reduce<string>(
    (place, step) => (typeof step === 'number' ? `${place}[${step}]` : place === '' ? step : `${place}.${step}`),
    '',
  );
}

export function valueAt(document: unknown, steps: readonly PlaceStep[]): unknown {
  return steps.reduce<unknown>((value, step) => {
    if (typeof step === 'number') return Array.isArray(value) ? (value[step] as unknown) : undefined;
    return isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }, document);
}

interface Taken {
  step: PlaceStep;
  /** How much of the text it takes. */
  length: number;
}

/** `[2]`; or `[X-Key]`, the entry of that name. */
function entryStep(list: readonly unknown[], rest: string): Taken | undefined {
  const [whole, inner = ''] = /^\[([^\]]*)\]/.exec(rest) ?? [];
  if (whole === undefined) return undefined;
  const at = /^\d+$/.test(inner) ? Number(inner) : list.findIndex((entry) => isJsonObject(entry) && entry['name'] === inner);
  return at >= 0 && at < list.length ? { step: at, length: whole.length } : undefined;
}

function memberStep(value: unknown, rest: string): Taken | undefined {
  if (!isJsonObject(value)) return undefined;
  const isWhole = (name: string): boolean => rest.startsWith(name) && /^(?:$|[.[])/.test(rest.slice(name.length));
  const [longest] = Object.keys(value)
    .filter((name) => name !== '' && isWhole(name))
    .sort((one, other) => other.length - one.length);
  return longest === undefined ? undefined : { step: longest, length: longest.length };
}
