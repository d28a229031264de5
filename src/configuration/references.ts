import { isJsonObject } from '../lib/exact-json.ts';
import { closest } from '../lib/closest.ts';
import type { FieldError } from '../lib/errors.ts';
import { placeOf, type PlaceStep } from './places.ts';

// Secrets stand outside of the files: `${env:NAME}` is a variable of the environment, `${file:path}` what is in a file. `$${` is `${` itself.

const REFERENCE = /\$?\$\{(\w+):([^}]*)\}/g;
const KINDS = ['env', 'file'] as const;

export interface Reference {
  readonly kind: (typeof KINDS)[number];
  readonly name: string;
}

/** Whether a text refers to something outside, so that nothing can be said of what it will be. */
export function hasReference(value: unknown): boolean {
  return typeof value === 'string' && [...value.matchAll(REFERENCE)].some(([whole]) => !whole.startsWith('$$'));
}

/** Every reference of a document with its place, and what is wrong with how they are written. */
export function referencesIn(document: unknown): { found: { field: string; reference: Reference }[]; faults: FieldError[] } {
  const found: { field: string; reference: Reference }[] = [];
  const faults: FieldError[] = [];
  eachText(document, [], (text, steps) => {
    const field = placeOf(steps);
    for (const [whole, kind = '', name = ''] of text.matchAll(REFERENCE)) {
      if (whole.startsWith('$$')) continue;
      const reason = referenceFault(kind, name);
      if (reason === undefined) found.push({ field, reference: { kind: kind as Reference['kind'], name } });
      else faults.push({ field, reason: `has a reference that is not understood, ${whole}: ${reason}` });
    }
  });
  return { found, faults };
}

function referenceFault(kind: string, name: string): string | undefined {
  if (!(KINDS as readonly string[]).includes(kind)) {
    const meant = closest(kind, KINDS);
    return `it must begin with \${env: or \${file:${meant === undefined ? '' : `; was \${${meant}: meant?`}`;
  }
  if (name.trim() === '') return `it names ${kind === 'env' ? 'no variable' : 'no file'}`;
  return kind === 'env' && !/^[A-Za-z_]\w*$/.test(name) ? 'the name of a variable has letters, digits and _ only' : undefined;
}

/** The document with what its references refer to; `valueOf` answers the text, or why there is none. */
export function resolved<Document>(
  document: Document,
  valueOf: (reference: Reference) => { text: string } | { missing: string },
): { document: Document; faults: FieldError[] } {
  const faults: FieldError[] = [];
  const resolve = (value: unknown, steps: PlaceStep[]): unknown => {
    if (Array.isArray(value)) return value.map((entry, at) => resolve(entry, [...steps, at]));
    if (isJsonObject(value))
      return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, resolve(member, [...steps, name])]));
    if (typeof value !== 'string') return value;
    return value.replaceAll(REFERENCE, (whole: string, kind: Reference['kind'], name: string) => {
      if (whole.startsWith('$$')) return whole.slice(1);
      const found = valueOf({ kind, name });
      if ('text' in found) return found.text;
      faults.push({ field: placeOf(steps), reason: found.missing });
      return '';
    });
  };
  return { document: resolve(document, []) as Document, faults };
}

/** A text that stays what it is when references are resolved. */
export function escaped(text: string): string {
  return text.replaceAll(REFERENCE, (whole) => `$${whole}`);
}

function eachText(value: unknown, steps: PlaceStep[], tell: (text: string, steps: PlaceStep[]) => void): void {
  if (typeof value === 'string') tell(value, steps);
  else if (Array.isArray(value)) for (const [at, entry] of value.entries()) eachText(entry, [...steps, at], tell);
  else if (isJsonObject(value)) for (const [name, member] of Object.entries(value)) eachText(member, [...steps, name], tell);
}
