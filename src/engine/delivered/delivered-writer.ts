import { Batch, type Reject } from '../../connectors/batch.ts';
import { decodeRows } from '../../connectors/lines.ts';
import type { Changes, Settle, Writer, WriteRequest, WriteResult } from '../../connectors/contract.ts';
import { readNote, type Round, writeNote } from '../note.ts';
import { NO_COUNTS } from '../progress.ts';
import { roundOf } from '../round.ts';
import type { StreamWork } from '../stream-work.ts';
import type { DeliveredTable } from './delivered-table.ts';
import { joinLedger, lastEntries, readLedger, segmentsOf } from './ledger.ts';
import { type LedgerEntry, shownDigest, underWay, wordsOf, writeEntries } from './ledger-entries.ts';
import { type KeyedLines, keyOfRow, LineKeys, rowOfKey } from './keyed-lines.ts';

/** A target that says nothing of how much it takes at a time is given so many. */
const PIECE_ROWS = 500;

/** What the target is to be told of a record. */
interface Outgoing {
  readonly key: string;
  /** Null when it is to be removed. */
  readonly digest: string | null;
  /** The segment in which the target was last told of it: what is sent again after a crash is the same, what is sent later is another. */
  readonly after: number;
  /** What the target has until it accepts this. Undefined when that counts no more, or there is nothing. */
  readonly accepted: string | undefined;
  /** It is written down already that this is under way. */
  readonly isUnderWay: boolean;
}

/** A row that the target does not have like this. */
interface OutgoingRow extends Outgoing {
  /** Its place in the batch. */
  readonly index: number;
  /** Where its line is: a row is made of it when it is sent. */
  readonly start: number;
  readonly end: number;
  readonly digest: string;
  readonly isNew: boolean;
}

/**
 * A mirror into a target that cannot be read back. It goes by the ledger of what the target has accepted: what is there like this is not
 * sent, and what the source does not have any more is removed. Every read begins at the beginning, as what was sent is known.
 */
export async function openDelivered(work: StreamWork, request: WriteRequest): Promise<Writer> {
  const { state, target } = work;
  const isGoingOn = request.resume?.(state.note ?? undefined) ?? true;
  const { resume: _, ...plain } = request;
  const inner = await target.write({ ...plain, mode: 'upsert' });
  try {
    const table = await readLedger(work);
    return new DeliveredWriter(work, inner, table, isGoingOn ? goingOn(state.note, table) : undefined);
  } catch (error) {
    await inner.close();
    throw error;
  }
}

/** The note of a run that was interrupted. What it has read it reads again, and what was refused is tried again. */
function goingOn(text: string | null, table: DeliveredTable): string | undefined {
  const note = readNote(text ?? undefined);
  if (!note || note.finished) return text ?? undefined;
  const { inserted, updated } = note.counts;
  return writeNote({ ...note, counts: { ...NO_COUNTS, inserted, updated, deleted: table.removedByMe } });
}

class DeliveredWriter implements Writer {
  readonly checkpoint = undefined;
  readonly note: string | undefined;
  readonly #work: StreamWork;
  readonly #inner: Writer;
  readonly #table: DeliveredTable;
  readonly #keys: LineKeys;
  /** Until a run comes to its end, all attempts are one round: what one has sent is the same when another sends it. */
  readonly #round: Round;
  #isRoundKept: boolean;
  /** Of what the target had before: what has been found to be the same, and what was sent anew. */
  #unchanged = 0;
  #updated = 0;

  constructor(work: StreamWork, inner: Writer, table: DeliveredTable, note: string | undefined) {
    const { fields, key } = work.plan.write;
    this.#work = work;
    this.#inner = inner;
    this.#table = table;
    this.note = note;
    const { round, isNew } = roundOf(work.order, work.state, readNote(work.state.note ?? undefined));
    this.#round = round;
    this.#isRoundKept = !isNew;
    const names = fields.map(({ name }) => name);
    this.#keys = new LineKeys(names, key, table.marks);
  }

  async write(batch: Batch, settle?: Settle): Promise<WriteResult> {
    for (const key of batch.spared) this.#table.see(this.#table.findKey(keyOfRow(key)));
    const result = { inserted: 0, updated: 0, unchanged: 0, deleted: 0, rejects: [] as Reject[] };
    // Of each key the last row is sent.
    const outgoing = new Map<string, OutgoingRow>();
    const { lines } = batch;
    for (const line = this.#keys.of(lines); line.next(); ) {
      const sent = this.#outgoing(line, result);
      if (sent) outgoing.set(sent.key, sent);
      else if (outgoing.size > 0) outgoing.delete(line.key);
    }
    const note = await settle?.(result);
    // Should this run never come back, the next one knows what it was.
    if (outgoing.size > 0 && !this.#isRoundKept && note !== undefined) await this.#keep([], note);
    for (const piece of this.#pieces([...outgoing.values()])) {
      const fates = await this.#send(piece, batch, result.rejects);
      for (const { isNew } of fates.accepted) result[isNew ? 'inserted' : 'updated']++;
      await this.#keep(entriesOf(fates), (await settle?.(result)) ?? null);
    }
    this.#unchanged += result.unchanged;
    this.#updated += result.updated;
    return result;
  }

  /** The row on its way, unless the target has it like this. */
  #outgoing(line: KeyedLines, counts: Changes): OutgoingRow | undefined {
    const place = this.#table.find(line.mark);
    this.#table.see(place);
    if (this.#table.isSame(place, line.digest)) {
      // What this run has sent before it was interrupted is counted already.
      if (!this.#table.isMine(place)) counts.unchanged++;
      return undefined;
    }
    const { index, start, end, key, digestText: digest } = line;
    const isNew = !this.#table.isThere(place);
    return { index, start, end, key, digest, isNew, ...this.#before(place, line.digest[0] as number) };
  }

  #before(place: number, firstWord: number): Pick<Outgoing, 'after' | 'accepted' | 'isUnderWay'> {
    return {
      after: this.#table.afterOf(place, firstWord),
      accepted: this.#table.acceptedAt(place),
      isUnderWay: this.#table.isUnderWay(place, firstWord),
    };
  }

  *#pieces<Item>(items: readonly Item[]): Generator<readonly Item[]> {
    const size = this.#inner.batchRows ?? PIECE_ROWS;
    for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
  }

  /** Sends some rows; answers which were accepted. */
  async #send(piece: readonly OutgoingRow[], { lines, position }: Batch, rejects: Reject[]): Promise<Fates<OutgoingRow>> {
    await this.#announce(piece);
    const version = (at: number): string => this.#version(piece[at] as Outgoing);
    const rows = piece.map(({ start, end }) => decodeRows(lines.subarray(start, end))[0] ?? []);
    const result = await this.#inner.write(Batch.ofRows(rows, { position, version }));
    rejects.push(
      ...result.rejects.map(({ index, ...reject }) => ({
        ...reject,
        ...(index !== undefined && { index: piece[index]?.index as number }),
      })),
    );
    return fatesOf(piece, result);
  }

  /** Writes down what is under way to records that the target has. What is new needs no such word: until it is accepted, it is sent. */
  async #announce(piece: readonly Outgoing[]): Promise<void> {
    this.#work.signal.throwIfAborted();
    const unsaid = piece.filter(({ accepted, isUnderWay }) => accepted !== undefined && !isUnderWay);
    await this.#keep(
      unsaid.map(({ key, digest, after }) => ({ key, digest: underWay(digest, after) })),
      null,
    );
  }

  #version({ key, after, digest }: Outgoing): string {
    const { generation } = this.#work.state;
    return JSON.stringify({ generation, round: this.#round.id, key, after, digest: digest && shownDigest(digest) });
  }

  async #keep(entries: readonly LedgerEntry[], note: string | null): Promise<void> {
    const { ports, plan } = this.#work;
    if (entries.length === 0 && note === null) return;
    const kept = readNote(note ?? undefined);
    const seq = await ports.keepDelivered(plan.index, writeEntries(entries), kept ? writeNote({ ...kept, round: this.#round }) : null);
    if (kept) this.#isRoundKept = true;
    const place = { seq, isMine: true, isOutdated: false };
    for (const { key, digest } of entries) {
      this.#table.put(this.#table.marks.ofKey(key), digest === null ? null : wordsOf(digest), place);
      this.#table.see(this.#table.findKey(key));
    }
  }

  async finish(approve?: (changes: Changes) => boolean | Promise<boolean>, settle?: Settle): Promise<WriteResult & { refused?: boolean }> {
    const { plan } = this.#work;
    const result = { inserted: 0, updated: 0, unchanged: 0, deleted: 0, rejects: [] as Reject[] };
    const gone = plan.write.deletes === 'delete' ? this.#table.gone : 0;
    const changes = { inserted: 0, updated: this.#updated, unchanged: this.#unchanged, deleted: gone };
    const isRefused = approve !== undefined && !(await approve(changes));
    if (!isRefused && gone > 0) await this.#removeGone(result);
    const note = await settle?.(result);
    if (note !== undefined) await this.#keep([], note);
    await this.#inner.finish();
    if (isRefused) return { ...result, refused: true };
    await joinLedger(this.#work, this.#table);
    return result;
  }

  /** The ledger has the keys of what is gone; the table only knows which they are. */
  async #removeGone(result: WriteResult & { rejects: Reject[] }): Promise<void> {
    for await (const segment of segmentsOf(this.#work)) {
      const gone = [...lastEntries(segment, this.#table)].filter(({ place }) => this.#table.isGone(place));
      const outgoing = gone.map(({ entry, place }) => ({ key: entry.key, digest: null, ...this.#before(place, 0) }));
      for (const piece of this.#pieces(outgoing)) await this.#remove(piece, result);
    }
  }

  async #remove(piece: readonly Outgoing[], result: WriteResult & { rejects: Reject[] }): Promise<void> {
    await this.#announce(piece);
    const keys = piece.map(({ key }) => rowOfKey(key));
    const version = (at: number): string => this.#version(piece[at] as Outgoing);
    const answer = await this.#inner.write(Batch.ofRows(keys, { position: '', operation: 'delete', version }));
    const fates = fatesOf(piece, answer);
    result.deleted += fates.accepted.length;
    result.rejects.push(...answer.rejects);
    await this.#keep(entriesOf(fates), null);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}

/** What has become of what was sent. */
interface Fates<Item> {
  readonly accepted: readonly Item[];
  readonly refused: readonly Item[];
}

/** Where nobody knows which one was refused, all are sent again the next time. */
function fatesOf<Item>(piece: readonly Item[], { rejects }: WriteResult): Fates<Item> {
  const refused = new Set(rejects.map(({ index }) => index));
  if (refused.has(undefined)) return { accepted: [], refused: [] };
  return { accepted: piece.filter((_, index) => !refused.has(index)), refused: piece.filter((_, index) => refused.has(index)) };
}

/** What is written down of it: of what was refused, that the target has what it had. */
function entriesOf({ accepted, refused }: Fates<Outgoing>): LedgerEntry[] {
  const stays = refused.flatMap(({ key, accepted: digest }) => (digest === undefined ? [] : [{ key, digest }]));
  return [...accepted.map(({ key, digest }) => ({ key, digest })), ...stays];
}
