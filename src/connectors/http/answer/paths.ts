/** The steps to a place in a JSON value. */
export type Path = readonly string[];

/** `data.items` or `/data/items` (a JSON pointer); `/` and nothing at all are the value itself. */
export function parsePath(text: string): Path {
  if (text === '' || text === '/') return [];
  if (!text.startsWith('/')) return text.split('.');
  return text
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** As people read it. */
export function pathText(path: Path): string {
  return path.length === 0 ? 'the answer itself' : `"${path.join('.')}"`;
}

/** What is at a place; undefined where there is nothing. */
export function at(value: unknown, path: Path): unknown {
  let place = value;
  for (const step of path) {
    if (typeof place !== 'object' || place === null || !Object.hasOwn(place, step)) return undefined;
    // A number that is kept as it was written has this member and no other, which is none of the API's.
    if (step === 'rawJSON' && JSON.isRawJSON(place)) return undefined;
    place = (place as Record<string, unknown>)[step];
  }
  return place;
}

/** Sets a value at a place, making the objects on the way. */
export function put(object: Record<string, unknown>, path: Path, value: unknown): void {
  const [step = '', ...rest] = path;
  if (rest.length === 0) {
    define(object, step, value);
    return;
  }
  const member = Object.hasOwn(object, step) ? object[step] : undefined;
  const inner: Record<string, unknown> = typeof member === 'object' && member !== null ? (member as Record<string, unknown>) : {};
  if (inner !== member) define(object, step, inner);
  put(inner, rest, value);
}

/** Like an assignment, but also for a name such as `__proto__`. */
function define(object: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
}

const PLACEHOLDER = /\{([^{}]*)\}/g;

/** The names in braces, each once. */
export function placeholders(template: string): string[] {
  return [...new Set([...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name))];
}

/** The path with its names replaced; undefined when a value cannot be a part of a path. */
export function fillPath(template: string, valueOf: (name: string) => string | null | undefined): string | undefined {
  let isWhole = true;
  const filled = template.replace(PLACEHOLDER, (_, name: string) => {
    const value = valueOf(name);
    // Dots would climb to another resource, and nothing at all would name the whole collection.
    if (value === null || value === undefined || value === '' || /^\.{1,2}$/.test(value) || !value.isWellFormed()) {
      isWhole = false;
      return '';
    }
    return encodeURIComponent(value);
  });
  return isWhole ? filled : undefined;
}
