import { demandScope } from '../http/callers/auth.ts';
import { may, type Principal, type Scope } from '../http/scopes.ts';
import { SCOPE_OF } from '../events/topics.ts';
import { namedTopics, topicsOf } from './filter.ts';

type Asking = Pick<Principal, 'scopes'>;

/** What runs say of the shop's rows is shown to those only who may read these: see `eventsFor`. */
const ROWS_IN_RUNS: readonly Scope[] = ['orders:read', 'products:read'];

/**
 * What an endpoint with these types may be told of when this caller saves it: no more than the caller may read, and no more than the types
 * ask for. Throws FORBIDDEN when a type is meant by name that the caller may not read.
 */
export function scopesFor(asking: Asking, types: readonly string[]): Scope[] {
  for (const having of namedTopics(types)) demandScope(asking, [...new Set(having.map((topic) => SCOPE_OF[topic]))]);
  const topics = topicsOf(types);
  const wanted = [...topics.map((topic): Scope => SCOPE_OF[topic]), ...(topics.includes('runs') ? ROWS_IN_RUNS : [])];
  return [...new Set(wanted)].filter((scope) => may(asking, scope)).sort();
}

/**
 * Throws FORBIDDEN unless the caller may read all that the endpoint is told of. Who changes where it leads, has something sent again, sees
 * what was sent, or gets its secret, could read it that way. Pausing and deleting it shows nothing.
 */
export function demandAll(asking: Asking, scopes: readonly Scope[]): void {
  for (const scope of scopes) demandScope(asking, scope);
}
