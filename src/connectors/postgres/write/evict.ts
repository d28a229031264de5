import { createHash } from 'node:crypto';
import type { CheckpointPlace } from './checkpoint.ts';
import { quoteText } from '../catalogue/names.ts';

/** The name that the session of a writer goes by: whose it is, without telling, and the token of its claim. */
export function sessionName({ owner, token }: Pick<CheckpointPlace, 'owner' | 'token'>): string {
  return `${prefixOf(owner)}${token}`;
}

function prefixOf(owner: string): string {
  return `syncline ${createHash('sha256').update(owner).digest('hex').slice(0, 16)} `;
}

/**
 * Statements that give this session its name and end those of earlier claims of the same work that are in a transaction. A node that
 * sleeps or was cut off may have left one: it could commit nothing any more, but its locks would hold up all workers after it. Where a
 * server has no such function, or hides sessions, one waits until it notices by itself.
 */
export function evictEarlier(place: Pick<CheckpointPlace, 'owner' | 'token' | 'fences'>): string {
  const owners = [place.owner, ...(place.fences ?? []).map(({ owner }) => owner)];
  return [`set application_name = ${quoteText(sessionName(place))}`, ...owners.map((owner) => evict(owner, place.token))].join('; ');
}

function evict(owner: string, token: bigint): string {
  const prefix = prefixOf(owner);
  const end = `perform pg_terminate_backend(pid) from pg_catalog.pg_stat_activity where datname = current_database() and usename = current_user
    and xact_start is not null and starts_with(application_name, ${quoteText(prefix)}) and substr(application_name, ${prefix.length + 1})::numeric < ${token}`;
  const tried = `begin ${end}; exception when others then null; end`;
  return `do ${quoteText(tried)}`;
}
