import { printable } from '../../lib/check.ts';
import type { ServiceClient } from './client.ts';
import { CliError } from '../errors.ts';
import { listAll } from './pages.ts';

/** What people call by its id, or by its name when only one has it. */
export interface Nouns {
  /** Such as `source`. */
  one: string;
  /** Where they are listed. */
  path: string;
  /** The command that lists them. */
  command: string;
  /** They have no names, or are too many to look through. */
  byId?: true;
}

export const SOURCES: Nouns = { one: 'source', path: '/api/v1/datasync/sources', command: 'syncline sources list' };
export const SYNCS: Nouns = { one: 'synchronization', path: '/api/v1/datasync/sync?status=all', command: 'syncline syncs list' };
export const WEBHOOKS: Nouns = { one: 'endpoint', path: '/api/v1/webhooks', command: 'syncline webhooks list' };
export const HOOKS: Nouns = { one: 'hook', path: '/api/v1/datasync/hooks', command: 'syncline hooks list' };

export const KEYS: Nouns = { one: 'key', path: '/api/v1/keys', command: 'syncline keys list', byId: true };
export const ORDERS: Nouns = { one: 'order', path: '/api/v1/orders', command: 'syncline orders find', byId: true };
export const PRODUCTS: Nouns = { one: 'product', path: '/api/v1/products', command: 'syncline products find', byId: true };
export const RUNS: Nouns = { one: 'run', path: '/api/v1/datasync/runs', command: 'syncline runs list', byId: true };
export const ALERTS: Nouns = { one: 'alert', path: '/api/v1/alerts', command: 'syncline alerts list' };

export async function findOne<Item extends { id: string; name: string }>(
  client: ServiceClient,
  nouns: Nouns,
  given: string,
): Promise<Item> {
  const all = await listAll<Item>(client, nouns.path);
  const found = all.filter(({ id, name }) => id === given || name === given);
  if (found.length > 1)
    throw new CliError(`Several ${nouns.one}s are called "${printable(given)}": ${found.map(({ id }) => id).join(', ')}. Give the id.`);
  const [one] = found;
  if (!one) throw new CliError(`There is no ${nouns.one} "${printable(given)}". \`${nouns.command}\` shows those that are there.`);
  return one;
}
