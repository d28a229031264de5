import type { Sync } from '../../api/resources.ts';

type Stream = Sync['streams'][number];

/** What the words of a definition mean, for people. */
export const MODE_WORDS: Record<Stream['mode'], string> = {
  mirror: 'Mirror: make the target equal',
  incremental: 'Incremental: what is new or changed',
  append: 'Append: add what is new',
};

export const DELETE_WORDS: Record<Stream['deletes'], string> = {
  delete: 'Deleted at the target',
  mark: 'Marked in _deleted_at',
  keep: 'Kept at the target',
};

export const REJECT_WORDS: Record<Sync['on_reject'], string> = {
  quarantine: 'Put it aside and go on',
  fail: 'The stream fails',
};

export const SCHEMA_WORDS: Record<Sync['schema_changes'], string> = {
  apply: 'Follow them at the target',
  ignore: 'Leave new ones out',
  stop: 'Stop and ask',
};
