import type { PartName, PartProgress, Parts, Settle, WriteRequest, WriteResult } from '../../contract.ts';
import { fenced, OutsideError } from '../../../outside/errors.ts';
import { findStream, missing } from '../catalogue/relations.ts';
import { keep, type State, tableIn, takeOverPart } from './checkpoint.ts';
import type { Link } from '../wire/link.ts';
import { evictEarlier } from './evict.ts';
import { keyPlaces } from './keys.ts';
import { mergeOf } from './merge.ts';
import { quoteText, type RelationName } from '../catalogue/names.ts';
import { noteFor } from './settling.ts';
import { createSpared } from './spare.ts';
import { isStageWhole } from './stage.ts';
import { hasFilters } from './tables.ts';
import { commitWith, inTransaction, NOTHING, type Writing } from './writing.ts';

type Split = NonNullable<State['split']>;

/** The owner of a part's checkpoint, which stands beside that of the whole. No owner of a whole begins like this. */
function ownerOf(owner: string, { split, index }: PartName): string {
  return `part ${split}.${index} of ${owner}`;
}

function ownersOf({ request }: Writing, { name, count }: Split): string[] {
  return Array.from({ length: count }, (_, index) => ownerOf(request.owner, { split: name, index }));
}

const listed = (owners: readonly string[]): string => `(${owners.map(quoteText).join(', ')})`;

/** Takes a part over. Whoever has split the stream has made everything ready, and left word how the rows get in. */
export async function beginPart(link: Link, name: RelationName, request: WriteRequest & { part: PartName }): Promise<Writing> {
  const relation = await findStream(link, name);
  if (!relation) throw missing(request.stream);
  if (!request.fields.every(({ name: field }) => relation.columns.some((column) => column.name === field))) throw changed(request.stream);
  const place = { schema: name.schema, owner: ownerOf(request.owner, request.part), token: request.token };
  await link.run(evictEarlier(place));
  const taken = await takeOverPart(link, place);
  const writing: Writing = {
    link,
    request,
    relation,
    place,
    merge: mergeOf(relation, request),
    keys: keyPlaces(request.fields, request.key),
    way: wayOf(taken.state),
    isFiltered: await hasFilters(link, relation),
    ...taken,
    temporary: new Set(),
    mustLast: true,
  };
  if (writing.way === 'stage' && !(await isStageWhole(writing))) throw stageLost(request.stream);
  await link.run('set synchronous_commit = off');
  return writing;
}

function wayOf({ staged, phase }: State): Writing['way'] {
  if (staged !== undefined) return 'stage';
  return phase === 'load' ? 'plain' : 'direct';
}

/** Says that all of a part is there. What comes of it all is seen when the parts are joined. */
export async function finishPart(writing: Writing, settle: Settle | undefined): Promise<WriteResult> {
  const { link, place, position, state } = writing;
  const result = { ...NOTHING, rejects: [] };
  const note = await noteFor(writing, result, settle);
  await link.run(keep(place, { position, note, state }));
  return result;
}

/** The writer of the whole as the one who has others fill it. */
export function partsOf(writing: Writing, guarded: <Result>(work: () => Promise<Result>) => Promise<Result>): Parts {
  return {
    split: (name, count, note) => guarded(() => split(writing, { name, count }, note)),
    progress: () => guarded(() => partsProgress(writing)),
    join: (position, note) => guarded(() => join(writing, position, note)),
  };
}

/** How far the parts are; none when it is not split. */
export async function partsProgress(writing: Writing): Promise<PartProgress[]> {
  const { link, place, state } = writing;
  if (!state.split) return [];
  const owners = ownersOf(writing, state.split);
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
  const { link, place, position, state: before } = writing;
  const state = { ...before, split: as };
  await inTransaction(writing, async () => {
    if (before.split) await rename(writing, before.split, as);
    else {
      // Many at once would each want to make it.
      if (before.staged !== undefined && !before.spared) {
        await createSpared(writing);
        state.spared = true;
      }
      const ofPart = quoteText(JSON.stringify(stateOfPart(state)));
      const rows = ownersOf(writing, as).map((owner) => `(${quoteText(owner)}, 0, ${ofPart})`);
      await link.run(`insert into ${tableIn(place.schema)} (owner, token, state) values ${rows.join(', ')}`);
    }
    await commitWith(writing, { position, note, state });
  });
}

/** Whoever writes a part under its old name finds nothing there any more. */
async function rename(writing: Writing, from: Split, to: Split): Promise<void> {
  const names = ownersOf(writing, to);
  const pairs = ownersOf(writing, from).map((owner, i) => `(${quoteText(owner)}, ${quoteText(names[i] ?? owner)})`);
  await writing.link.run(
    `update ${tableIn(writing.place.schema)} c set owner = named.new, token = 0 from (values ${pairs.join(', ')}) named (old, new) where c.owner = named.old`,
  );
}

function stateOfPart({ phase, loaded, staged, spared }: State): State {
  return {
    ...(phase && { phase }),
    ...(loaded !== undefined && { loaded: 0 }),
    ...(staged !== undefined && { staged: 0 }),
    ...(spared && { spared }),
  };
}

async function join(writing: Writing, position: string, note: string): Promise<void> {
  const { split: parts, ...state } = writing.state;
  if (!parts) throw new Error('The stream is not split.');
  await inTransaction(writing, async () => {
    const states = await takeParts(writing, parts);
    if (states.length !== parts.count) throw fenced();
    const sum = (name: 'loaded' | 'staged'): number => states.reduce((total, part) => total + (part[name] ?? 0), state[name] ?? 0);
    if (state.loaded !== undefined) state.loaded = sum('loaded');
    if (state.staged !== undefined) state.staged = sum('staged');
    await commitWith(writing, { position, note, state });
  });
}

/** Forgets the parts: they are nobody's any more. Within a transaction. */
export async function dropParts(writing: Writing, parts: Split): Promise<void> {
  await takeParts(writing, parts);
}

async function takeParts(writing: Writing, parts: Split): Promise<State[]> {
  const rows = await writing.link.query<{ state: string }>(
    `delete from ${tableIn(writing.place.schema)} where owner in ${listed(ownersOf(writing, parts))} returning state`,
  );
  return rows.map(({ state }) => JSON.parse(state) as State);
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
