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
  const rounds = Array.from({ length: end }, () => new Groups(fields));
  const rest: Placed[] = [];
  for (let i = 0; i < changes.length; i++) {
    const one = changes[i] as Placed;
    const round = rounds[roundOf[i] as number];
    if (round) round.add(one);
    else rest.push(one);
  }
  return { rounds: rounds.map((groups) => groups.all), rest };
}

/** The round of each change: behind that of the one before of the same key. Infinity where one of these must wait for the end. */
function numbersOf(changes: readonly Placed[], mustWait: (change: Placed) => boolean): number[] {
  // Of each stream: the round of the last change of each key, of the last of all, and where those of new keys begin.
  const streams: { last: Map<string | number, number>; highest: number; floor: number }[] = [];
  return changes.map((one) => {
    const stream = (streams[one.change.stream] ??= { last: new Map(), highest: -1, floor: 0 });
    let round = mustWait(one) ? Number.POSITIVE_INFINITY : stream.floor;
    if (one.change.op === 'truncate') {
      round = Math.max(round, stream.highest + 1);
      stream.floor = round + 1;
      stream.last.clear();
    }
    const { key, before } = one;
    if (key !== undefined) round = Math.max(round, (stream.last.get(key) ?? -1) + 1);
    if (before !== undefined) round = Math.max(round, (stream.last.get(before) ?? -1) + 1);
    if (key !== undefined) stream.last.set(key, round);
    if (before !== undefined) stream.last.set(before, round);
    stream.highest = Math.max(stream.highest, round);
    return round;
  });
}

/** Groups of changes that are alike, of which the same key may be in several. */
export function groupsOf(changes: readonly Placed[], fields: readonly { readonly length: number }[]): Group[] {
  const groups = new Groups(fields);
  for (const one of changes) groups.add(one);
  return groups.all;
}

class Groups {
  readonly #fields: readonly { readonly length: number }[];
  readonly #byName = new Map<string, Group>();
  /** Most changes are like the one before. */
  #last: Group | undefined;

  constructor(fields: readonly { readonly length: number }[]) {
    this.#fields = fields;
  }

  get all(): Group[] {
    return [...this.#byName.values()];
  }

  add(one: Placed): void {
    const { change } = one;
    const { stream } = change;
    const kind = kindOf(one);
    const maybe = change.mayBeThere === true;
    const length = this.#fields[stream]?.length ?? 0;
    const absent = change.op === 'insert' || change.op === 'update' ? absentIn(change.row, length) : '';
    const last = this.#last;
    if (last?.kind === kind && last.stream === stream && last.maybe === maybe && last.absent === absent) {
      last.changes.push(one);
      return;
    }
    const name = `${stream} ${kind} ${maybe} ${absent}`;
    const group = this.#byName.getOrInsertComputed(name, (): Group => ({ stream, kind, maybe, absent, changes: [] }));
    group.changes.push(one);
    this.#last = group;
  }
}

export function kindOf({ change, before }: Pick<Placed, 'change' | 'before'>): ChangeKind {
  // A key that is spelled differently and may be the same is written as well.
  return change.op === 'update' && (before !== undefined || change.key !== undefined) ? 'move' : change.op;
}
