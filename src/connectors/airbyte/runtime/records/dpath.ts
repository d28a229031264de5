import { isJsonObject } from '../../../../lib/exact-json.ts';

// Places in JSON, with the wildcards of Python's dpath: `*` within a step, `**` for any number of steps.

export type PathSteps = readonly string[];
type Container = Record<string, unknown> | unknown[];

/** A text is cut at its slashes. */
export function stepsOf(path: unknown): string[] {
  if (Array.isArray(path)) return path.map(String);
  return String(path)
    .split('/')
    .filter((step) => step !== '');
}

export function hasWildcard(steps: PathSteps): boolean {
  return steps.some((step) => /[*?[]/.test(step));
}

function isContainer(value: unknown): value is Container {
  return Array.isArray(value) || isJsonObject(value);
}

/** What is at a place; undefined where there is nothing. */
export function valueAt(value: unknown, steps: PathSteps): unknown {
  if (hasWildcard(steps)) return valuesAt(value, steps)[0];
  let place = value;
  for (const step of steps) {
    place = memberOf(place, step);
    if (place === undefined) return undefined;
  }
  return place;
}

function memberOf(value: unknown, step: string): unknown {
  if (Array.isArray(value)) return /^\d+$/.test(step) ? value[Number(step)] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

/** Everything at the places that a path with wildcards names. */
export function valuesAt(value: unknown, steps: PathSteps): unknown[] {
  return [...placesOf(value, steps)].map(({ holder, name }) => (holder as Record<string, unknown>)[name]);
}

interface YamlPlace {
  holder: Container;
  name: string;
}

function* placesOf(value: unknown, [step, ...rest]: PathSteps): Generator<YamlPlace> {
  if (step === undefined || !isContainer(value)) return;
  if (step === '**') {
    if (rest.length > 0) yield* placesOf(value, rest);
    for (const name of Object.keys(value)) {
      if (rest.length === 0) yield { holder: value, name };
      yield* placesOf((value as Record<string, unknown>)[name], [step, ...rest]);
    }
    return;
  }
  for (const name of namesLike(value, step)) {
    if (rest.length === 0) yield { holder: value, name };
    else yield* placesOf((value as Record<string, unknown>)[name], rest);
  }
}

function namesLike(value: Container, step: string): string[] {
  if (!/[*?[]/.test(step)) return Object.hasOwn(value, step) && !(Array.isArray(value) && step === 'length') ? [step] : [];
  const pattern = globOf(step);
  return Object.keys(value).filter((name) => pattern.test(name));
}

const globs = new Map<string, RegExp>();

function globOf(step: string): RegExp {
  const known = globs.get(step);
  if (known) return known;
  const source = step
    .replaceAll(/[\\^$.+(){}|/]/g, String.raw`\$&`)
    .replaceAll(/\[!/g, '[^')
    .replaceAll(/\*+/g, '.*')
    .replaceAll('?', '.');
  let pattern: RegExp;
  try {
    pattern = new RegExp(`^${source}$`, 's');
  } catch {
    pattern = new RegExp(`^${step.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)}$`);
  }
  if (globs.size < 1000) globs.set(step, pattern);
  return pattern;
}

/** Takes away what is at the places; of a list, only the last entry goes, others become null. With a filter, whatever it chooses goes, wherever it is. */
export function removeAt(record: Container, steps: PathSteps, chooses?: (value: unknown) => boolean): void {
  const all = [...placesOf(record, chooses ? ['**'] : steps)];
  for (const { holder, name } of all) {
    const value = (holder as Record<string, unknown>)[name];
    if (chooses && (isContainer(value) || !chooses(value))) continue;
    if (!Array.isArray(holder)) delete holder[name];
    else if (Number(name) === holder.length - 1) holder.pop();
    else holder[Number(name)] = null;
  }
}

/** Puts a value at a place and makes what is missing on the way. False when something else is in the way. */
export function putAt(record: Container, steps: PathSteps, value: unknown): boolean {
  let holder: Container = record;
  for (const [index, step] of steps.slice(0, -1).entries()) {
    const next = memberOf(holder, step);
    if (next === undefined || next === null) {
      const made: Container = /^\d+$/.test(steps[index + 1] ?? '') ? [] : {};
      setMember(holder, step, made);
      holder = made;
    } else if (isContainer(next)) holder = next;
    else return false;
  }
  const last = steps.at(-1);
  if (last !== undefined) setMember(holder, last, value);
  return true;
}

function setMember(holder: Container, step: string, value: unknown): void {
  if (!Array.isArray(holder)) {
    // A member of this name would change what the object is.
    if (step === '__proto__') Object.defineProperty(holder, step, { value, enumerable: true, configurable: true, writable: true });
    else holder[step] = value;
    return;
  }
  const index = Number(step);
  if (!Number.isSafeInteger(index) || index > holder.length + 10_000) return;
  while (holder.length < index) holder.push(null);
  holder[index] = value;
}
