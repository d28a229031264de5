import type { Abilities, Manifest } from './contract.ts';

/** What follows from what a connector can do, in words for people who choose one. */
export function promisesOf(abilities: Abilities): string[] {
  const { read, write, transactional, checkpoints } = abilities;
  const isWritten = write.length > 0;
  const all: readonly (readonly [boolean, string])[] = [
    [read && abilities.resumable, 'A read that was cut off goes on where it stopped.'],
    [read && abilities.incremental, 'Only what is new or changed is read.'],
    [abilities.tellsDeletions ?? false, 'An incremental read tells of deleted rows, too.'],
    [abilities.tellsChanges ?? false, 'A synchronization can run the moment something changes.'],
    [abilities.log ?? false, 'Can be followed live: every committed change is there within a moment.'],
    [abilities.ranges ?? false, 'Large streams are read in ranges, by several nodes at the same time.'],
    [isWritten && transactional, 'Every row is written exactly once: rows and position are committed together.'],
    [isWritten && !transactional && checkpoints, 'A run goes on behind the last batch that the target has.'],
    [
      isWritten && !transactional && !checkpoints,
      'A write that was cut off is repeated: a record may arrive twice where the system does not know it again.',
    ],
    [abilities.applies ?? false, 'Takes live changes, each transaction as one step.'],
    [abilities.createsStreams, 'Makes streams and fields that are missing.'],
    [isWritten && abilities.deletes, 'Rows that are gone from the source can be removed.'],
    [abilities.keylessMirror ?? false, 'Mirrors streams without a key, too.'],
  ];
  return all.filter(([is]) => is).map(([, words]) => words);
}

/** Whether a connector is meant by some words: each of them is in what it is called, can do or promises. */
export function isFoundBy(manifest: Manifest, words: string): boolean {
  const { type, title, description, category = 'other', keywords = [], abilities } = manifest;
  const live = abilities.log || abilities.applies ? ['live', 'cdc'] : [];
  const can = [
    ...(abilities.read ? ['read', 'source'] : []),
    ...(abilities.write.length > 0 ? ['write', 'target', ...abilities.write] : []),
    ...live,
  ];
  const text = [type, title, description, category, ...keywords, ...can, ...promisesOf(abilities)].join('\n').toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
