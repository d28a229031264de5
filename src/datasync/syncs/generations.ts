import type { StreamDefinition } from '../../engine/definition.ts';

/** A position is only good for the question that it answers: what is read, in which order, and of what. */
function questionOf({ source, mode, key, cursor, filter }: StreamDefinition): string {
  const conditions = filter.map(({ field, op, value }) => ({ field, op, value }));
  return JSON.stringify([source, mode, key, cursor, conditions]);
}

/** The streams, by target, of which a position of before means nothing any more: they are read anew. */
export function streamsToReadAnew(
  before: readonly StreamDefinition[],
  after: readonly StreamDefinition[],
  isOtherSystem: boolean,
): readonly string[] {
  const known = new Map(before.map((stream) => [stream.target, questionOf(stream)]));
  return after.filter((stream) => isOtherSystem || known.get(stream.target) !== questionOf(stream)).map(({ target }) => target);
}
