interface Named {
  id: string;
  name: string;
}

interface Names {
  /** The id itself for what is not known. */
  nameOf: (id: string) => string;
  names: ReadonlyMap<string, string>;
}

const known = new WeakMap<readonly Named[], Names>();
const NONE: readonly Named[] = [];

/** Names by id, made once for each answer: many rows of a page ask for them. */
export function namesOf(things: readonly Named[] = NONE): Names {
  const before = known.get(things);
  if (before) return before;
  const names = new Map(things.map(({ id, name }) => [id, name]));
  const made: Names = { nameOf: (id) => names.get(id) ?? id, names };
  known.set(things, made);
  return made;
}
