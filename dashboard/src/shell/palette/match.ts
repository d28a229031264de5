/** Something that the palette can lead to or do. */
export interface Entry {
  /** Unlike that of any other. */
  id: string;
  group: 'Actions' | 'Views' | 'Synchronizations' | 'Sources' | 'Connectors' | 'Runs' | 'Orders' | 'Customers' | 'Products';
  label: string;
  /** A few words more, such as how it is. */
  note?: string;
  /** What it is found by beside its label. */
  words?: string;
  /** Where it leads to, or what it does. */
  to: string | (() => void);
}

/** Words as they are compared: case and accents make no difference. */
function plain(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

type Findable = Pick<Entry, 'label' | 'words'>;

/** Of each entry the words by which it is found, made once: there may be thousands, and they are compared for each letter. */
const plainOf = new WeakMap<Findable, { name: string; all: string }>();

function wordsOf(entry: Findable): { name: string; all: string } {
  const known = plainOf.get(entry);
  if (known) return known;
  const made = { name: plain(entry.label), all: plain(`${entry.label} ${entry.words ?? ''}`) };
  plainOf.set(entry, made);
  return made;
}

/**
 * How well an entry fits what was typed: 0 not at all. Every word has to be there; one that begins the label counts most, then one that
 * begins a word of it, then one within.
 */
export function fit(entry: Findable, typed: string): number {
  const wanted = plain(typed).split(/\s+/).filter(Boolean);
  const { name, all } = wordsOf(entry);
  let sum = 1;
  for (const word of wanted) {
    const place = all.indexOf(word);
    if (place === -1) return 0;
    sum += place === 0 ? 4 : /[\p{L}\p{N}]/u.test(all[place - 1] ?? '') ? 1 : place < name.length ? 3 : 2;
  }
  return sum;
}

/** The entries that fit, best first; those of one group stay together, the group with the best one first. */
export function found(entries: readonly Entry[], typed: string, most: number): Entry[] {
  const fitting = entries.map((entry) => ({ entry, fits: fit(entry, typed) })).filter(({ fits }) => fits > 0);
  fitting.sort((one, other) => other.fits - one.fits);
  const groups = Map.groupBy(fitting, ({ entry }) => entry.group);
  return [...groups.values()].flatMap((group) => group.slice(0, most).map(({ entry }) => entry));
}
