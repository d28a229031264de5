import type { Position } from '../../batch.ts';
import type { ChangeLog, KeptLog, LogRequest, LogStream } from '../../changes.ts';
import { OutsideError } from '../../../outside/errors.ts';
import { concerning } from '../../concerning.ts';
import { demandStream, type Relation } from '../catalogue/relations.ts';
import type { Link } from '../wire/link.ts';
import { follow } from './follow.ts';
import { demandIdentity } from './identity.ts';
import { parsePosition, positionText } from './position.ts';
import { demandPrepared, missingForLog } from './prepared.ts';
import { type WalPlace, namesFor } from './place.ts';
import { demandFit, dropPublication, type PublishedStream, type Publication, writePublication } from './publication.ts';
import { logServer, runningServer } from './server.ts';
import { dropSlot, keptNow, makeSlot } from './slot.ts';
import { together } from './together.ts';
import { waitForWriters } from './writers.ts';

/** How long a new stream waits for those who have written to its table before. */
const WRITERS_PATIENCE = 60_000;

const keptTogether = together(keptNow);

/** The log of a PostgreSQL server. */
export function changeLog(place: WalPlace): ChangeLog {
  const { links } = place;
  let seen: { lsn: bigint; at: number } | undefined;
  return {
    check: () => links.use('read', undefined, (link) => missingForLog(link)),
    hold: (request) => links.use('write', request.signal, (link) => hold(place, link, request)),
    change: (request) =>
      links.use('write', request.signal, async (link) => {
        const { publication } = namesFor(place, request.owner);
        const followed = await demandStreams(place, link, request);
        await waitForWriters(link, await publish(link, publication, followed), WRITERS_PATIENCE, request.signal);
      }),
    end: () =>
      links.use('read', undefined, async (link) => {
        const server = await logServer(link);
        if (server.lsn > place.askedEnd) place.askedEnd = server.lsn;
        return positionText(server);
      }),
    follow: (request, after, milestones = []) => follow(place, request, parsePosition(after), milestones.map(parsePosition)),
    kept: async (owner): Promise<KeptLog> => {
      const { slot } = namesFor(place, owner);
      const { restarts, lsn } = await keptTogether(place, slot);
      const restart = restarts.get(slot);
      const now = performance.now();
      const before = seen;
      seen = { lsn, at: now };
      return {
        bytes: restart === undefined ? null : Number(lsn > restart ? lsn - restart : 0n),
        bytesPerSecond:
          before && now > before.at && lsn >= before.lsn ? Math.round((Number(lsn - before.lsn) * 1000) / (now - before.at)) : null,
      };
    },
    release: (owner) =>
      links.use('write', undefined, async (link) => {
        const { slot } = namesFor(place, owner);
        await dropSlot(link, slot);
        // Ours, also when another is named by now.
        await dropPublication(link, slot);
      }),
    identity: () => links.use('read', undefined, (link) => runningServer(link)),
    isBefore: (one, other) => parsePosition(one).lsn < parsePosition(other).lsn,
  };
}

async function hold(place: WalPlace, link: Link, request: LogRequest): Promise<Position> {
  const { slot, publication } = namesFor(place, request.owner);
  await demandPrepared(link, slot);
  const followed = await demandStreams(place, link, request);
  for (const { stream, relation } of followed) await concerning(stream.stream, async () => demandColumns(stream, relation));
  const server = await logServer(link);
  await dropSlot(link, slot);
  // Before the slot: what is decoded for it looks for the publication as it was at the time of the change.
  await publish(link, publication, followed);
  const lsn = await makeSlot(link, slot, server.version);
  const { system, timeline } = await logServer(link);
  return positionText({ system, timeline, lsn });
}

/** Sees to it that the streams are told. It answers the tables of which that may be new, by their numbers. */
async function publish(link: Link, publication: Publication, followed: readonly PublishedStream[]): Promise<string[]> {
  const relations = followed.map(({ relation }) => relation);
  if (publication.isOurs) return writePublication(link, publication.name, relations, (await logServer(link)).version);
  await demandFit(link, publication, followed);
  return relations.map(({ oid }) => oid);
}

/** The tables of the streams, each of which can be followed. */
async function demandStreams({ home }: WalPlace, link: Link, { streams }: LogRequest): Promise<PublishedStream[]> {
  const followed: PublishedStream[] = [];
  for (const stream of streams)
    await concerning(stream.stream, async () => {
      const relation = await demandStream(link, stream.stream, home);
      await demandIdentity(link, stream, relation);
      followed.push({ stream, relation });
    });
  return followed;
}

function demandColumns({ stream, fields, key }: LogStream, { columns }: Relation): void {
  const missing = [...fields, ...key].find((name) => !columns.some((column) => column.name === name));
  if (missing !== undefined)
    throw new OutsideError('config', 'FIELD_MISSING', `The table "${stream}" has no column "${missing}".`, { field: 'stream' });
}
