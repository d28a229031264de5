import type { PartName, PartProgress, Parts, Settle, WriteRequest, WriteResult } from '../../contract.ts';
import { fenced, OutsideError } from '../../../outside/errors.ts';
import { nothing } from '../../sql-target/outcome.ts';
import { findStream, missing } from '../catalogue/relations.ts';
import { turnedOn } from '../undo/keeping.ts';
import { keep, tableIn, takeOverPart } from './checkpoint.ts';
import type { Link } from '../wire/link.ts';
import { evictEarlierOfPart } from './evict.ts';
import { keyPlaces } from './keys.ts';
import { mergeOf } from './merge.ts';
import { quoteText, type RelationName } from '../catalogue/names.ts';
import { noteFor } from './settling.ts';
import { createSpared } from './spare.ts';
import { isStageWhole } from './stage.ts';
import { hasFilters } from './tables.ts';
import { type PostgresCheckpoint, joined, ofPart, type Split, type WriterState, wayOf } from './states.ts';
import { inTransaction, type PostgresTarget } from './target.ts';
import { Writing } from './writing.ts';

/** The owner of a part's checkpoint, which stands beside that of the whole. No owner of a whole begins like this. */
function ownerOf(owner: string, { split, index }: PartName): string {
  return `part ${split}.${index} of ${owner}`;
}

function ownersOf({ request }: Pick<PostgresTarget, 'request'>, { name, count }: Split): string[] {
  return Array.from({ length: count }, (_, index) => ownerOf(request.owner, { split: name, index }));
}

const listed = (owners: readonly string[]): string => `(${owners.map(quoteText).join(', ')})`;

/** Takes a part over. The writer that has split the stream has made everything ready, and left word how the rows get in. */
export async function beginPart(
  link: Link,
  name: RelationName,
  request: WriteRequest & { part: PartName },
): Promise<{ writing: Writing; mustLast: boolean }> {
  const relation = await findStream(link, name);
  if (!relation) throw missing(request.stream);
  if (!request.fields.every(({ name: field }) => relation.columns.some((column) => column.name === field))) throw changed(request.stream);
  const place = { schema: name.schema, owner: ownerOf(request.owner, request.part), token: request.token };
  await link.run(evictEarlierOfPart(request.owner, place));
  if (request.undo) await link.run(await turnedOn(link, name, request.undo));
  const taken = await takeOverPart(link, place);
  const target: PostgresTarget = {
    link,
    request,
    relation,
    place,
    merge: mergeOf(relation, request),
    keys: keyPlaces(request.fields, request.key),
    ascent: undefined,
    isFiltered: await hasFilters(link, relation),
    temporary: new Set(),
  };
  // What is large enough to be split goes straight into the table, until a key turns out to be there already.
  const way = wayOf(taken.state, { mode: request.mode, hasKey: request.key.length > 0, isEmpty: true });
  if (way === 'stage' && !(await isStageWhole(target, taken.state))) throw stageLost(request.stream);
  await link.run('set synchronous_commit = off');
  return { writing: new Writing(target, taken, way), mustLast: true };
}

/** Says that all of a part is there. What comes of it all is seen when the parts are joined. */
export async function finishPart(writing: Writing, settle: Settle | undefined): Promise<WriteResult> {
  const { target, checkpoint } = writing;
  const result = nothing();
  const note = await noteFor(checkpoint, result, settle);
  await target.link.run(keep(target.place, { ...checkpoint, note }));
  return result;
}

/** The writer of the whole as the one who has others fill it. */
export function partsOf(writing: Writing, guarded: <Result>(work: () => Promise<Result>) => Promise<Result>): Parts {
  return {
    split: (name, count, note) => guarded(() => split(writing, { name, count }, note)),
    progress: () => guarded(() => partsProgress(writing.target, writing.checkpoint)),
    join: (position, note) => guarded(() => join(writing, position, note)),
  };
}

/** How far the parts are; none when it is not split. */
export async function partsProgress(
  target: Pick<PostgresTarget, 'link' | 'place' | 'request'>,
  { state }: PostgresCheckpoint,
): Promise<PartProgress[]> {
  const { link, place } = target;
  if (!state.split) return [];
  const owners = ownersOf(target, state.split);
  const rows = await link.query<{ owner: string; position: string | null; note: string | null }>(
    `select owner, position, note from ${tableIn(place.schema)} where owner in ${listed(owners)}`,
  );
  const found = new Map(rows.map((row) => [row.owner, row]));
  return owners.map((owner) => {
    const row = found.get(owner);
    if (!row) throw fenced();
    return { position: row.position ?? undefined, note: row.note ?? undefined };
  });
}

async function split(writing: Writing, as: Split, note: string): Promise<void> {
  const { target, checkpoint } = writing;
  const { position, state: before } = checkpoint;
  // Many at once would each want to make it.
  const needsSpared = !before.split && before.staged !== undefined && !before.spared;
  const state: WriterState = { ...before, split: as, ...(needsSpared && { spared: true as const }) };
  await inTransaction(target, async () => {
    if (needsSpared) await createSpared(target);
    await (before.split ? rename(target, before.split, as) : createParts(target, as, ofPart(state)));
    await writing.commit({ position, note, state });
  });
}

async function createParts(target: PostgresTarget, as: Split, state: WriterState): Promise<void> {
  const text = quoteText(JSON.stringify(state));
  const rows = ownersOf(target, as).map((owner) => `(${quoteText(owner)}, 0, ${text})`);
  await target.link.run(`insert into ${tableIn(target.place.schema)} (owner, token, state) values ${rows.join(', ')}`);
}

/** A worker that writes a part under its old name finds nothing there any more. */
async function rename(target: PostgresTarget, from: Split, to: Split): Promise<void> {
  const names = ownersOf(target, to);
  const pairs = ownersOf(target, from).map((owner, i) => `(${quoteText(owner)}, ${quoteText(names[i] ?? owner)})`);
  await target.link.run(
    `update ${tableIn(target.place.schema)} c set owner = named.new, token = 0 from (values ${pairs.join(', ')}) named (old, new) where c.owner = named.old`,
  );
}

async function join(writing: Writing, position: string, note: string): Promise<void> {
  const { target, checkpoint } = writing;
  const { split: parts } = checkpoint.state;
  if (!parts) throw new Error('The stream is not split.');
  await inTransaction(target, async () => {
    const states = await takeParts(target, parts);
    if (states.length !== parts.count) throw fenced();
    await writing.commit({ position, note, state: joined(checkpoint.state, states) });
  });
}

/** Forgets the parts, which are nobody's any more, and tells how far they were. Within a transaction. */
export async function takeParts(target: Pick<PostgresTarget, 'link' | 'place' | 'request'>, parts: Split): Promise<WriterState[]> {
  const rows = await target.link.query<{ state: string }>(
    `delete from ${tableIn(target.place.schema)} where owner in ${listed(ownersOf(target, parts))} returning state`,
  );
  return rows.map(({ state }) => JSON.parse(state) as WriterState);
}

function stageLost(stream: string): OutsideError {
  return new OutsideError('transient', 'STAGE_LOST', `The server has crashed, and what was collected for "${stream}" is gone.`, {
    hint: 'It is collected anew.',
  });
}

function changed(stream: string): OutsideError {
  return new OutsideError('transient', 'STREAM_CHANGED', `The fields of "${stream}" have changed since it was split.`, {
    hint: 'The run looks at it again.',
  });
}
