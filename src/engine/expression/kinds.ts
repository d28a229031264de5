import type { ParameterKind } from './functions.ts';
import { type Item, type Kind, kindOf } from './values.ts';

// What can be said of an expression before it runs.

export function isNumber(kind: Kind): boolean {
  return kind === 'int' || kind === 'decimal' || kind === 'double';
}

function isList(kind: Kind): boolean {
  return kind === 'list' || kind === 'strings';
}

function isOpen(kind: Kind): boolean {
  return kind === 'dyn' || kind === 'null';
}

/** A kind that holds the values of both, or undefined. */
export function common(a: Kind, b: Kind): Kind | undefined {
  if (a === b || b === 'null') return a;
  if (a === 'null') return b;
  if (a === 'dyn' || b === 'dyn') return 'dyn';
  if (isNumber(a) && isNumber(b)) return a === 'double' || b === 'double' ? 'double' : 'decimal';
  return isList(a) && isList(b) ? 'list' : undefined;
}

/** The kind of `a + b` and the like, or undefined when it cannot be computed. */
export function resultOf(operator: string, a: Kind, b: Kind): Kind | undefined {
  if (a === 'null' || b === 'null') return a === 'null' ? b : a;
  if (a === 'dyn' || b === 'dyn') return 'dyn';
  if (isNumber(a) && isNumber(b)) {
    if ((a === 'decimal' && b === 'double') || (a === 'double' && b === 'decimal')) return undefined;
    return common(a, b);
  }
  if (operator !== '+') return undefined;
  if (a === 'string' && b === 'string') return 'string';
  return isList(a) && isList(b) ? common(a, b) : undefined;
}

export function canCompare(a: Kind, b: Kind): boolean {
  return isOpen(a) || isOpen(b) || (isNumber(a) && isNumber(b)) || (a === b && (a === 'string' || a === 'bool'));
}

export function canEqual(a: Kind, b: Kind): boolean {
  return isOpen(a) || isOpen(b) || common(a, b) !== undefined;
}

/** Whether a parameter takes values of a kind; `maybe` when that shows only in the value. */
export function accepts(parameter: ParameterKind, kind: Kind): 'yes' | 'no' | 'maybe' {
  if (parameter === 'any' || kind === 'null' || parameter === kind) return 'yes';
  if (kind === 'dyn') return 'maybe';
  switch (parameter) {
    case 'number':
      return isNumber(kind) ? 'yes' : 'no';
    case 'list':
      return isList(kind) ? 'yes' : 'no';
    case 'strings':
      return isList(kind) ? 'maybe' : 'no';
    default:
      return 'no';
  }
}

/** The same of a value. */
export function acceptsItem(parameter: ParameterKind, item: Item): boolean {
  if (parameter === 'strings') return Array.isArray(item) && item.every((part) => typeof part === 'string');
  return accepts(parameter, kindOf(item)) === 'yes';
}

/** What a list holds, or the members of a JSON value. */
export function elementOf(kind: Kind): Kind | undefined {
  if (kind === 'strings') return 'string';
  return kind === 'list' || kind === 'map' || isOpen(kind) ? 'dyn' : undefined;
}
