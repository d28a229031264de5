import type { WriteRequest } from '../contract.ts';
import { OutsideError } from '../../outside/errors.ts';

/** Throws when rows are to be found by a key and there is none, or when it is not among the fields. */
export function demandKey(
  { mode, stream, key, fields }: Pick<WriteRequest, 'mode' | 'stream' | 'key' | 'fields'>,
  isNeeded: boolean,
): void {
  if (isNeeded && key.length === 0) throw keyMissing(mode, stream);
  for (const name of key)
    if (!fields.some((field) => field.name === name))
      throw new OutsideError('config', 'FIELD_MISSING', `"${name}" is part of the key and has to be among the fields.`, { field: 'key' });
}

/** `to` is what cannot be done without a key, such as `upsert`. */
export function keyMissing(to: string, stream: string): OutsideError {
  return new OutsideError('config', 'KEY_MISSING', `To ${to} "${stream}", a key is needed.`, {
    field: 'key',
    hint: 'Choose the fields that tell rows apart.',
  });
}

/** There is no table of this name, and none may be made. */
export function tableMissing(stream: string): OutsideError {
  return new OutsideError('config', 'STREAM_MISSING', `There is no table "${stream}".`, {
    field: 'stream',
    hint: 'Create it, or let the synchronization create it.',
  });
}

export function isView(stream: string): OutsideError {
  return new OutsideError('config', 'NOT_WRITABLE', `"${stream}" is a view and cannot be written to.`, {
    field: 'stream',
    hint: 'Name a table.',
  });
}

/** The table lacks a column, and none may be added. */
export function columnMissing(stream: string, field: string): OutsideError {
  return new OutsideError('config', 'FIELD_MISSING', `"${stream}" has no column "${field}".`, {
    field: 'fields',
    hint: 'Add the column, leave the field out, or let the synchronization change the table.',
  });
}

export function columnComputed(stream: string, field: string): OutsideError {
  return new OutsideError('config', 'FIELD_COMPUTED', `"${field}" of "${stream}" is computed by the database.`, {
    field: 'fields',
    hint: 'Leave this field out.',
  });
}

type Keyed = Pick<WriteRequest, 'stream' | 'key'>;

/** Rows can only be found by a key that is unique. `cause` is why the index could not be made. */
export function indexMissing({ stream, key }: Keyed, hint: string, cause?: unknown): OutsideError {
  return new OutsideError('config', 'KEY_NOT_UNIQUE', `"${stream}" has no unique index on its key (${key.join(', ')}).`, {
    field: 'key',
    hint,
    cause,
  });
}

/** The same, where the index cannot be made because of the rows that are there. */
export function keyDoubled({ stream, key }: Keyed, cause: unknown): OutsideError {
  return new OutsideError('config', 'KEY_NOT_UNIQUE', `Several rows of "${stream}" have the same key (${key.join(', ')}).`, {
    field: 'key',
    hint: 'Choose fields as key that tell the rows apart, or remove the doubles.',
    cause,
  });
}

/** Another program writes to the table at the moment when all its rows are taken back. */
export function changedMeanwhile(stream: string): OutsideError {
  return new OutsideError('transient', 'TARGET_CHANGED', `Another program has written to "${stream}" at this moment.`, {
    hint: 'The table is as it was, and it is tried again by itself.',
  });
}
