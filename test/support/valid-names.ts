import type { Route } from '../../src/http/route.ts';

let namesGiven = 0;

/** What people know by its name: no two have the same. */
export function isNamed({ path }: Route): boolean {
  return /\/(sources|sync|hooks|webhooks|alerts|keys)(\/\{id\})?$/.test(path);
}

export function ownName(body: unknown): unknown {
  const { name } = (body ?? {}) as { name?: unknown };
  return typeof name === 'string' ? { ...(body as object), name: `${name.slice(0, 80).toWellFormed()} ${++namesGiven}` } : body;
}
