import type { Sync } from '../../api/resources.ts';

type Stream = Sync['streams'][number];

/** What the words of a definition mean, for people. */
export const MODE_WORDS: Record<Stream['mode'], string> = {
  mirror: 'Mirror: make the target equal to the source',
  incremental: 'Incremental: insert and update what is new or changed',
  append: 'Append: only add new rows',
  cdc: 'Live: follow every change in the log of the source',
};

export const DELETE_WORDS: Record<Stream['deletes'], string> = {
  delete: 'Delete them at the target',
  mark: 'Mark them in _deleted_at',
  keep: 'Keep them at the target',
};

export const REJECT_WORDS: Record<Sync['on_reject'], string> = {
  quarantine: 'Reject the row and go on',
  fail: 'Fail the stream',
};

export const GAP_WORDS: Record<NonNullable<Sync['on_gap']>, string> = {
  load: 'Load the streams concerned anew',
  stop: 'Pause, and ask a person',
};

export const SCHEMA_WORDS: Record<Sync['schema_changes'], string> = {
  apply: 'Apply them to the target',
  ignore: 'Ignore new fields',
  stop: 'Stop and ask',
};
