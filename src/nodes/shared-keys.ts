import type { Keyring } from '../lib/secrets.ts';

/** Tells whether two nodes have the same keys without telling the keys: see Keyring.marks. */
export interface Marks {
  /** One for each key that this node can read secrets with; it writes them with the first. */
  secretMarks: readonly string[];
  /** Of the operator's own key, one for each of the keys above; null when this node has none. */
  adminMarks: readonly string[] | null;
}

export function marksFor(keyring: Keyring, adminKey: string | undefined): Marks {
  return { secretMarks: keyring.marks('secret key'), adminMarks: adminKey === undefined ? null : keyring.marks(`admin key:${adminKey}`) };
}

/** Throws when secrets that one of them encrypts could not be read by the other. */
export function demandSameSecretKey(node: Marks, neighbours: readonly (Marks & { host: string })[]): void {
  const strangers = neighbours.filter((neighbour) => !canReadEachOther(node, neighbour));
  if (strangers.length === 0) return;
  throw new Error(
    `This node has another key for the secrets of sources than ${listOf(strangers)}, so neither could read what the other encrypts. ` +
      'Set SYNCLINE_SECRET_KEY to the same value on all nodes; a node without it uses the file secret-key in its own data directory. ' +
      'To change the key while nodes run: first add the new one behind the old on every node (old,new), then put it first (new,old). ' +
      'If the other node was killed just now, start this one again in 15 seconds.',
  );
}

export function canReadEachOther(one: Marks, other: Marks): boolean {
  return isKnownTo(one, other) && isKnownTo(other, one);
}

function isKnownTo(writer: Marks, reader: Marks): boolean {
  const [first = ''] = writer.secretMarks;
  return reader.secretMarks.includes(first);
}

/** Whether both let the same operator in. Nodes that have no key in common cannot tell. */
export function haveSameAdminKey(one: Marks, other: Marks): boolean {
  if (one.adminMarks === null || other.adminMarks === null) return one.adminMarks === other.adminMarks;
  const [mine, theirs] = [one.adminMarks, other.adminMarks];
  const shared = one.secretMarks.flatMap((mark, at) => {
    const there = other.secretMarks.indexOf(mark);
    return there === -1 ? [] : [[mine[at], theirs[there]]];
  });
  return shared.every(([a, b]) => a === b);
}

export function listOf(nodes: readonly { host: string }[]): string {
  return [...new Set(nodes.map(({ host }) => host))].join(', ');
}
