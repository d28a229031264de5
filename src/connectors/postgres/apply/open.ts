import type { AppliedTo, Applier, ApplyRequest } from '../../changes.ts';
import type { Field, WriteRequest } from '../../contract.ts';
import { demandKey, indexMissing, keyDoubled } from '../../sql-target/faults.ts';
import { Applying } from '../../sql-target/apply/applying.ts';
import { CHECKPOINT_TABLE } from '../../sql-target/kept.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { parseStreamName, quoteName, quoteRelation } from '../catalogue/names.ts';
import { findRelation, type Relation } from '../catalogue/relations.ts';
import type { Link } from '../wire/link.ts';
import type { Links } from '../wire/links.ts';
import { type CheckpointPlace, createCheckpoints, keep, keptIn, takeOver } from '../write/checkpoint.ts';
import { keepForUndo } from '../undo/keeping.ts';
import { evictEarlier } from '../write/evict.ts';
import { locksFor } from '../write/locks.ts';
import { NEW, type PostgresCheckpoint } from '../write/states.ts';
import { columnTypes, prepareTable, tellsRowsApart } from '../write/tables.ts';
import { type AppliedStream, appliedStream } from './stream.ts';
import { PostgresChanges } from './target.ts';

const SETTINGS = [
  "set idle_in_transaction_session_timeout = '2min'",
  // The rows that change have to be fetched anyway, so their index is the way to them. Else a large table may be read from its beginning for every few thousand changes.
  'set random_page_cost = 0.1',
  'set enable_mergejoin = off',
];

export async function openApplier(links: Links, request: ApplyRequest, schema: string): Promise<Applier> {
  const { signal } = request;
  links.demandGoing(signal);
  for (const stream of request.streams) demandKey({ ...stream, mode: 'upsert' }, true);
  const link = await links.take('write', signal);
  const cut = (): void => link.destroy();
  signal?.addEventListener('abort', cut, { once: true });
  const leave = (): void => {
    signal?.removeEventListener('abort', cut);
    // What is under way goes with it.
    link.destroy();
  };
  try {
    const { place, streams, kept } = await begin(links, link, request, schema);
    const extend = (stream: AppliedStream, fields: readonly Field[]): Promise<AppliedStream> =>
      prepared(links, link, { ...stream.request, fields }, request, schema);
    const target = new PostgresChanges(link, place, streams, { extend, leave });
    const applying = new Applying(target, { position: kept.position ?? undefined, note: kept.note ?? undefined }, request.lookUp);
    return guardedBy(links, signal, applying);
  } catch (error) {
    leave();
    links.demandGoing(signal);
    throw error;
  }
}

/** What was stopped fails as stopped, whatever it says. */
function guardedBy(links: Links, signal: AbortSignal | undefined, applying: Applying): Applier {
  const guarded = async <Result>(work: Promise<Result>): Promise<Result> => {
    try {
      return await work;
    } catch (error) {
      links.demandGoing(signal);
      throw error;
    }
  };
  return {
    get checkpoint() {
      return applying.checkpoint;
    },
    get note() {
      return applying.note;
    },
    apply: (set, settle) => guarded(applying.apply(set, settle)),
    applyLines: (changes) => guarded((applying.applyLines as NonNullable<Applier['applyLines']>)(changes)),
    extend: (stream, fields) => guarded(applying.extend(stream, fields)),
    close: () => applying.close(),
  };
}

/** Makes everything ready and takes the checkpoint over, all in one transaction. */
async function begin(
  links: Links,
  link: Link,
  request: ApplyRequest,
  home: string,
): Promise<{ place: CheckpointPlace; streams: AppliedStream[]; kept: PostgresCheckpoint }> {
  const { owner, token } = request;
  const names = request.streams.map(({ stream }) => parseStreamName(stream, home));
  const place = { schema: (await keptIn(link, owner)) ?? names[0]?.schema ?? home, owner, token };
  const locks = new Set<bigint>();
  for (const name of [{ schema: place.schema, name: CHECKPOINT_TABLE }, ...names])
    for (const lock of await locksFor(link, name)) locks.add(lock);
  // All take them in the same order, so that nobody waits for one who waits for him. Of a large transaction it may take a while until the next set comes.
  const ordered = [...locks].sort((a, b) => (a < b ? -1 : 1)).map((lock) => `select pg_advisory_xact_lock(${lock})`);
  await link.run([...SETTINGS, evictEarlier(place), 'begin', ...ordered].join('; '));
  const streams: AppliedStream[] = [];
  for (const stream of request.streams) streams.push(await prepared(links, link, stream, request, home));
  await createCheckpoints(link, place.schema);
  const taken = await takeOver(link, place);
  // A position of other work is none of a log.
  const found = taken.state.live ? taken : NEW;
  const kept = (request.resume?.(found.note ?? undefined) ?? true) ? found : NEW;
  await link.run(`${keep(place, { ...kept, state: { live: true } })}; commit`);
  return { place, streams, kept };
}

/** The table of a stream, made or extended, with an index that tells its rows apart. Within a transaction. */
async function prepared(
  links: Links,
  link: Link,
  stream: AppliedTo,
  { owner, token, signal, undo }: ApplyRequest,
  home: string,
): Promise<AppliedStream> {
  const name = parseStreamName(stream.stream, home);
  const request: WriteRequest = { ...stream, owner, token, mode: 'upsert' };
  // A name that is no type would end the transaction.
  const types = await links.use('read', signal, (other) => columnTypes(other, stream.fields));
  const { relation } = await prepareTable(link, name, request, types);
  if (undo) await link.run(await keepForUndo(link, stream, relation, undo));
  if (tellsRowsApart(relation, stream.key)) return appliedStream(stream, relation, stream.fields);
  if (!stream.create)
    throw indexMissing(
      stream,
      'Create a primary key or a unique index on exactly these columns, or let the synchronization change the table.',
    );
  const keys = stream.key.map(quoteName).join(', ');
  const table = quoteRelation(relation);
  const add =
    relation.key.length === 0 && !relation.indexes.some(({ isPrimary }) => isPrimary)
      ? `alter table ${table} add primary key (${keys})`
      : `create unique index on ${table} (${keys})`;
  await link.run(add).catch((error: unknown) => {
    throw error instanceof OutsideError && error.kind === 'data' ? keyDoubled(stream, error) : error;
  });
  return appliedStream(stream, (await findRelation(link, name)) as Relation, stream.fields);
}
