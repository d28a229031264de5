import type { TargetChange } from '../../changes.ts';
import { absentIn, type Placed } from './placed.ts';

/** `move` is an update that changes the key. */
type ChangeKind = 'insert' | 'update' | 'move' | 'delete' | 'truncate';

/** Changes of one stream that one statement makes: of the same kind, with the same values told, and each key once. */
export interface Group {
  readonly stream: number;
  readonly kind: ChangeKind;
  readonly maybe: boolean;
  /** The places of the values that are not told (`absentIn`). */
  readonly absent: string;
  readonly changes: Placed[];
}

export interface Cut {
  /** One after the other, and within each the groups one after the other: every change comes behind those of its key before it. */
  readonly rounds: readonly (readonly Group[])[];
  /** What has to be done one by one after that, in its order. */
  readonly rest: readonly Placed[];
}

// A statement for a few changes costs more than to make them one by one. The first rounds are worth it anyway: most sets have no more.
const FEW_ROUNDS = 3;
const SMALL_ROUND = 32;

/**
 * Cuts changes into rounds in which no key occurs twice, so that a round can be made by one statement for each group. Nothing is netted: each
 * change is made. Groups stand in the order of their first changes: transactions are alike, so parents come before their children as they
 * did in the first one. Where one key has changed very often the rounds become small, and the rest is left as it is.
 */
export function cutIntoRounds(
  changes: readonly Placed[],
  fields: readonly { readonly length: number }[],
  mustWait: (change: Placed) => boolean = () => false,
): Cut {
  const roundOf = numbersOf(changes, mustWait);
  const sizes: number[] = [];
  for (const round of roundOf) if (round !== Number.POSITIVE_INFINITY) sizes[round] = (sizes[round] ?? 0) + 1;
  const small = sizes.findIndex((size, round) => round >= FEW_ROUNDS && size < SMALL_ROUND);
  const end = small === -1 ? sizes.length : small;
  const rounds = Array.from({ length: end }, () => new Map<string, Group>());
  const rest: Placed[] = [];
  for (let i = 0; i < changes.length; i++) {
    const one = changes[i] as Placed;
    const round = rounds[roundOf[i] as number];
    if (round) join(round, one, fields[one.change.stream]?.length ?? 0);
    else rest.push(one);
  }
  return { rounds: rounds.map((groups) => [...groups.values()]), rest };
}

/** The round of each change: behind that of the one before of the same key. Infinity where one of these must wait for the end. */
function numbersOf(changes: readonly Placed[], mustWait: (change: Placed) => boolean): number[] {
  // Of each stream: the round of the last change of each key, of the last of all, and where those of new keys begin.
  const streams: { last: Map<string, number>; highest: number; floor: number }[] = [];
  return changes.map((one) => {
    const stream = (streams[one.change.stream] ??= { last: new Map(), highest: -1, floor: 0 });
    let round = mustWait(one) ? Number.POSITIVE_INFINITY : stream.floor;
    if (one.change.op === 'truncate') {
      round = Math.max(round, stream.highest + 1);
      stream.floor = round + 1;
      stream.last.clear();
    }
    for (const key of one.keys) round = Math.max(round, (stream.last.get(key) ?? -1) + 1);
    for (const key of one.keys) stream.last.set(key, round);
    stream.highest = Math.max(stream.highest, round);
    return round;
  });
}

/** Groups of changes that are alike, of which the same key may be in several. */
export function groupsOf(changes: readonly Placed[], fields: readonly { readonly length: number }[]): Group[] {
  const groups = new Map<string, Group>();
  for (const one of changes) join(groups, one, fields[one.change.stream]?.length ?? 0);
  return [...groups.values()];
}

function join(round: Map<string, Group>, one: Placed, length: number): void {
  const { change } = one;
  const kind = kindOf(change, one);
  const maybe = change.mayBeThere === true;
  const absent = change.op === 'insert' || change.op === 'update' ? absentIn(change.row, length) : '';
  const name = `${change.stream} ${kind} ${maybe} ${absent}`;
  const group = round.get(name);
  if (group) group.changes.push(one);
  else round.set(name, { stream: change.stream, kind, maybe, absent, changes: [one] });
}

export function kindOf(change: TargetChange, { keys }: Pick<Placed, 'keys'>): ChangeKind {
  // A key that is spelled differently and may be the same is written as well.
  return change.op === 'update' && (keys.length === 2 || change.key !== undefined) ? 'move' : change.op;
}
