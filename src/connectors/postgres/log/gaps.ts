import { OutsideError } from '../../../outside/errors.ts';

// What is lost, in words: what happened, to what, what follows.

const FOLLOWS = 'The streams have to be loaded anew; from then on changes are followed again.';

/** A gap in the log of a server. `streams` are those that it concerns, where it is not all. */
export function gap(code: string, message: string, hint?: string, streams?: readonly string[]): OutsideError {
  return new OutsideError('gap', code, message, { hint: hint ? `${FOLLOWS} ${hint}` : FOLLOWS, ...(streams && { streams }) });
}

export const slotGone = (slot: string): OutsideError =>
  gap(
    'SLOT_LOST',
    `The replication slot "${slot}" is not there any more: what has changed since then was not kept.`,
    'It was dropped, or another server has taken over that does not have it. On PostgreSQL 17 and newer a standby can keep slots (sync_replication_slots).',
  );

export const slotInvalid = (slot: string, reason: string): OutsideError =>
  gap(
    'LOG_PURGED',
    `The server has removed the log that the replication slot "${slot}" was to keep (${reason}).`,
    'Allow for more in max_slot_wal_keep_size of the server, or see to it that the synchronization is not away for so long.',
  );

export const slotMoved = (slot: string): OutsideError =>
  gap(
    'SLOT_MOVED',
    `The replication slot "${slot}" was moved on by someone else, or made anew: what lies between was not kept.`,
    'A slot has one reader. See to it that no other program uses this one.',
  );

export const serverChanged = (what: string): OutsideError =>
  gap('SERVER_CHANGED', `${what} The log of the server before and that of this one do not go together.`);

export const publicationChanged = (publication: string, what: string, streams: readonly string[]): OutsideError =>
  gap('PUBLICATION_CHANGED', `The publication "${publication}" was changed: ${what}`, 'See who has changed it.', streams);
