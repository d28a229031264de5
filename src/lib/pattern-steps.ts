// What regular expressions of all dialects have in common once they are read: a list of steps, of which all ways are followed at the same time.

/** What a regular expression says. `Single` is what stands for one character or one place of the text. */
export type PatternTree<Single> =
  | Single
  | { readonly kind: 'sequence'; readonly parts: readonly PatternTree<Single>[] }
  | { readonly kind: 'choice'; readonly options: readonly PatternTree<Single>[] }
  | PatternRepeat<Single>
  | { readonly kind: 'group'; readonly index: number; readonly part: PatternTree<Single> };

interface PatternRepeat<Single> {
  readonly kind: 'repeat';
  readonly part: PatternTree<Single>;
  readonly least: number;
  readonly most: number;
  /** As few as will do, rather than as many as there are. */
  readonly isLazy?: boolean;
}

interface Fork {
  readonly kind: 'fork';
  /** The way that counts more where both lead to the end. */
  first: number;
  second: number;
}

/** One step of a pattern: a character or a place, a fork in the way, the begin or end of a group, or the end. */
export type PatternStep<Single> = Single | Fork | { readonly kind: 'save'; readonly slot: number } | { readonly kind: 'match' };

/** The steps of a pattern. `demandRoom` is told how many there are so far, and may refuse more. */
export function patternSteps<Single extends { readonly kind: 'character' | 'place' }>(
  tree: PatternTree<Single>,
  demandRoom: (count: number) => void = () => undefined,
): PatternStep<Single>[] {
  const steps: PatternStep<Single>[] = [];
  const fork = (): Fork => {
    const made: Fork = { kind: 'fork', first: steps.length + 1, second: steps.length + 1 };
    steps.push(made);
    return made;
  };
  const append = (node: PatternTree<Single>): void => {
    demandRoom(steps.length);
    switch (node.kind) {
      case 'sequence':
        for (const part of node.parts) append(part);
        break;
      case 'choice':
        appendChoice(node.options);
        break;
      case 'repeat':
        appendRepeat(node);
        break;
      case 'group':
        steps.push({ kind: 'save', slot: node.index * 2 });
        append(node.part);
        steps.push({ kind: 'save', slot: node.index * 2 + 1 });
        break;
      default:
        steps.push(node);
    }
  };
  const appendChoice = (options: readonly PatternTree<Single>[]): void => {
    const ends: Fork[] = [];
    options.forEach((option, i) => {
      const other = i < options.length - 1 ? fork() : undefined;
      append(option);
      if (!other) return;
      ends.push(fork());
      other.second = steps.length;
    });
    for (const end of ends) end.first = end.second = steps.length;
  };
  const appendRepeat = ({ part, least, most, isLazy }: PatternRepeat<Single>): void => {
    for (let i = 0; i < least; i++) append(part);
    const forks: Fork[] = [];
    if (most === Number.POSITIVE_INFINITY) {
      const start = steps.length;
      forks.push(fork());
      append(part);
      const back = fork();
      back.first = back.second = start;
    } else {
      for (let i = least; i < most; i++) {
        forks.push(fork());
        append(part);
      }
    }
    for (const one of forks) {
      one.second = steps.length;
      if (isLazy) [one.first, one.second] = [one.second, one.first];
    }
  };
  append(tree);
  steps.push({ kind: 'match' });
  return steps;
}
