// Places in nested maps and lists, as lists of names. A name may have `*` in it and then stands for all that fit.

type Container = Record<string, unknown> | unknown[];

/** Sets what is there already; answers how many places there were. */
export function setAt(root: unknown, path: readonly string[], value: unknown): number {
  const last = path.at(-1);
  if (last === undefined) return 0;
  let count = 0;
  for (const container of containersAt(root, path.slice(0, -1))) {
    for (const name of namesIn(container, last)) {
      put(container, name, value);
      count++;
    }
  }
  return count;
}

/** Sets it, and makes the maps on the way that are not there yet. */
export function createAt(root: Container, path: readonly string[], value: unknown): void {
  let container = root;
  for (const name of path.slice(0, -1)) {
    const next = memberOf(container, name);
    if (!isContainer(next)) put(container, name, {});
    container = memberOf(container, name) as Container;
  }
  const last = path.at(-1);
  if (last !== undefined) put(container, last, value);
}

/** Takes out what is there; an item of a list becomes null. */
export function removeAt(root: unknown, path: readonly string[]): void {
  const last = path.at(-1);
  if (last === undefined) return;
  for (const container of containersAt(root, path.slice(0, -1))) {
    for (const name of namesIn(container, last)) {
      if (Array.isArray(container)) container[Number(name)] = null;
      else delete container[name];
    }
  }
}

/** All values at a place. */
export function valuesAt(root: unknown, path: readonly string[]): unknown[] {
  const last = path.at(-1);
  if (last === undefined) return [root];
  return containersAt(root, path.slice(0, -1)).flatMap((container) => namesIn(container, last).map((name) => memberOf(container, name)));
}

function containersAt(root: unknown, path: readonly string[]): Container[] {
  let found = isContainer(root) ? [root] : [];
  for (const name of path)
    found = found.flatMap((container) => namesIn(container, name).map((match) => memberOf(container, match))).filter(isContainer);
  return found;
}

function namesIn(container: Container, pattern: string): string[] {
  const names = Object.keys(container);
  if (names.includes(pattern)) return [pattern];
  if (Array.isArray(container) && /^-\d+$/.test(pattern)) return names.slice(Number(pattern)).slice(0, 1);
  if (!/[*?]/.test(pattern)) return [];
  const source = RegExp.escape(pattern).replaceAll('\\*', '[^]*').replaceAll('\\?', '[^]');
  return names.filter((name) => new RegExp(`^${source}$`).test(name));
}

function memberOf(container: Container, name: string): unknown {
  if (Array.isArray(container)) return container[Number(name)];
  return Object.hasOwn(container, name) ? container[name] : undefined;
}

function put(container: Container, name: string, value: unknown): void {
  if (Array.isArray(container)) container[Number(name)] = value;
  else Object.defineProperty(container, name, { value, enumerable: true, configurable: true, writable: true });
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}
