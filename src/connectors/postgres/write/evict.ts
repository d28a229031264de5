import { createHash } from 'node:crypto';
import type { CheckpointPlace } from './checkpoint.ts';
import { quoteText } from '../catalogue/names.ts';

type Place = Pick<CheckpointPlace, 'owner' | 'token'>;

/** The name that the session of a writer goes by: whose it is, without telling, and the token of its claim. */
export function sessionName({ owner, token }: Place): string {
  return `${prefixOf(owner)}${token}`;
}

/** The same for a part of a stream, which is found also by those who take the whole over. */
function partSessionName(whole: string, { owner, token }: Place): string {
  return `${partPrefixOf(whole)}${digestOf(owner).slice(0, 8)} ${token}`;
}

const digestOf = (owner: string): string => createHash('sha256').update(owner).digest('hex').slice(0, 16);
const prefixOf = (owner: string): string => `syncline ${digestOf(owner)} `;
const partPrefixOf = (whole: string): string => `syncline part ${digestOf(whole)} `;

/**
 * Statements that give this session its name and end those of earlier claims of the same work that are in a transaction. A node that
 * sleeps or was cut off may have left one: it could commit nothing any more, but its locks would hold up all workers after it. Where a
 * server has no such function, or hides sessions, one waits until it notices by itself.
 */
export function evictEarlier(place: Pick<CheckpointPlace, 'owner' | 'token' | 'fences'>): string {
  const owners = [place.owner, ...(place.fences ?? []).map(({ owner }) => owner)];
  const ends = owners.flatMap((owner) => [
    evict(prefixOf(owner), place.token),
    // Who takes the whole over names its parts anew: those who have them under the old names are to write nothing more.
    evict(partPrefixOf(owner)),
  ]);
  return [`set application_name = ${quoteText(sessionName(place))}`, ...ends].join('; ');
}

/** The same for a part. */
export function evictEarlierOfPart(whole: string, place: Place): string {
  const name = partSessionName(whole, place);
  return `set application_name = ${quoteText(name)}; ${evict(name.slice(0, name.lastIndexOf(' ') + 1), place.token)}`;
}

/** Without a token, all that go by such a name. */
function evict(prefix: string, token?: bigint): string {
  const isEarlier = token === undefined ? '' : ` and substr(application_name, ${prefix.length + 1})::numeric < ${token}`;
  const end = `perform pg_terminate_backend(pid) from pg_catalog.pg_stat_activity where datname = current_database() and usename = current_user
    and xact_start is not null and starts_with(application_name, ${quoteText(prefix)})${isEarlier}`;
  const tried = `begin ${end}; exception when others then null; end`;
  return `do ${quoteText(tried)}`;
}
