import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OutsideError } from '../../../../outside/errors.ts';
import { readText } from '../../../../outside/http/body.ts';
import type { Segment } from '../../target/stage-state.ts';
import type { WorkPlace } from '../place.ts';
import type { S3Client } from './client.ts';
import { headOf, list, MARK_HEADER, objectFile } from './objects.ts';
import { abortUpload, beginUpload, completeUpload, markOf, sendParts, type Upload } from './upload.ts';

const MAX_TEXT = 64 * 1024 * 1024;
const AT_ONCE = 8;
// To tidy up after what was stopped, there is a little time.
const TIDY_MS = 10_000;

/**
 * Objects below a prefix beside the target. Nothing can be added to an object, so a segment is a row of pieces. The file that is to take the
 * target's place is an upload in parts, which nobody sees until it is completed; what is kept of it here is a ticket.
 */
export class S3Work implements WorkPlace {
  readonly #client: S3Client;
  readonly #key: string;
  readonly #prefix: string;
  readonly #signal: AbortSignal;

  constructor(client: S3Client, key: string, prefix: string, signal: AbortSignal) {
    this.#client = client;
    this.#key = key;
    this.#prefix = prefix;
    this.#signal = signal;
  }

  async names(): Promise<string[]> {
    const { files, folders } = await list(this.#client, this.#prefix, this.#signal);
    return [...files.map(({ name }) => name), ...folders];
  }

  async read(name: string): Promise<string | undefined> {
    return textOf(this.#client, this.#prefix + name, this.#signal);
  }

  save(name: string, text: string): Promise<void> {
    return putText(this.#client, this.#prefix + name, text, this.#signal);
  }

  async remove(name: string): Promise<void> {
    if (name.endsWith('.lines')) {
      const { files } = await list(this.#client, `${this.#prefix}${name}/`, this.#signal);
      for (let at = 0; at < files.length; at += AT_ONCE)
        await Promise.all(files.slice(at, at + AT_ONCE).map((piece) => this.#delete(`${name}/${piece.name}`)));
      return;
    }
    if (name.endsWith('.tmp')) {
      const ticket = ticketOf(await this.read(name));
      if (ticket && ticket.id !== '') await abortUpload(this.#client, this.#key, ticket, this.#signal);
    }
    await this.#delete(name);
  }

  async #delete(name: string, signal = this.#signal): Promise<void> {
    await this.#client.tell({ method: 'DELETE', key: this.#prefix + name, expects: [404] }, signal);
  }

  async append(segment: Segment, lines: Buffer): Promise<Segment> {
    const pieces = (segment.pieces ?? 0) + 1;
    const key = `${this.#prefix}${segment.name}/${pieces}`;
    await this.#client.tell({ method: 'PUT', key, body: Buffer.from(lines) }, this.#signal);
    return { ...segment, bytes: segment.bytes + lines.length, pieces };
  }

  async *bytes({ name, pieces = 0 }: Segment): AsyncGenerator<Buffer> {
    for (let piece = 1; piece <= pieces; piece++) {
      const key = `${this.#prefix}${name}/${piece}`;
      const about = await headOf(this.#client, key, this.#signal);
      // The rows that are missing then are told by their number.
      if (!about) return;
      yield* objectFile(this.#client, key, name, about).bytes(0, this.#signal);
    }
  }

  async make(name: string, chunks: AsyncIterable<Buffer>, grows: boolean, signal: AbortSignal): Promise<string> {
    const mark = randomBytes(12).toString('hex');
    const upload = await beginUpload(this.#client, this.#key, mark, signal);
    try {
      // So that an upload that is cut off here can be given up later: parts that nobody sees cost money, too.
      await this.save(name, JSON.stringify(upload));
      const sent = await sendParts(this.#client, this.#key, upload, grows ? this.#grown(chunks, signal) : chunks, signal);
      if (sent.parts?.length !== 0) await this.save(name, JSON.stringify(sent));
      else {
        await abortUpload(this.#client, this.#key, upload, signal);
        await this.save(name, JSON.stringify({ ...sent, id: '' }));
      }
      return markOf(mark);
    } catch (error) {
      const tidy = AbortSignal.timeout(TIDY_MS);
      await abortUpload(this.#client, this.#key, upload, tidy)
        .then(() => this.#delete(name, tidy))
        .catch(() => {});
      throw error;
    }
  }

  async *#grown(chunks: AsyncIterable<Buffer>, signal: AbortSignal): AsyncGenerator<Buffer> {
    const about = await headOf(this.#client, this.#key, signal);
    if (about) yield* objectFile(this.#client, this.#key, this.#key, about).bytes(0, signal);
    yield* chunks;
  }

  async replace(name: string): Promise<boolean> {
    const ticket = ticketOf(await this.read(name));
    // Gone: it took its place before the worker that did it could say so.
    if (!ticket) return true;
    const isDone =
      ticket.id === '' ? await this.#putEmpty(ticket.mark) : await completeUpload(this.#client, this.#key, ticket, this.#signal);
    await this.#delete(name);
    return isDone;
  }

  /** An upload has at least one part with a byte in it, so an empty file is put as a whole. */
  async #putEmpty(mark: string): Promise<boolean> {
    const headers = { [MARK_HEADER]: mark };
    await this.#client.tell({ method: 'PUT', key: this.#key, headers, body: Buffer.alloc(0) }, this.#signal);
    return true;
  }

  scratch(): string {
    return join(tmpdir(), `syncline-${randomBytes(9).toString('hex')}.tmp`);
  }

  async rest(): Promise<void> {}

  close(): void {}
}

/** All of a small object; undefined when there is none. */
export async function textOf(client: S3Client, key: string, signal: AbortSignal): Promise<string | undefined> {
  const answer = await client.ask({ method: 'GET', key, expects: ['NoSuchKey', 404] }, signal);
  if (answer.complaint) return undefined;
  return readText(answer, MAX_TEXT);
}

export async function putText(client: S3Client, key: string, text: string, signal: AbortSignal): Promise<void> {
  await client.tell({ method: 'PUT', key, body: Buffer.from(text) }, signal);
}

/** A ticket as it was kept. It lies where others may write. */
function ticketOf(text: string | undefined): Upload | undefined {
  if (text === undefined) return undefined;
  try {
    const { id, mark, parts } = JSON.parse(text) as Partial<Upload>;
    const isUpload =
      typeof id === 'string' && typeof mark === 'string' && (parts === undefined || parts.every((tag) => typeof tag === 'string'));
    if (isUpload) return { id, mark, ...(parts && { parts }) };
  } catch {
    // It is told below.
  }
  throw new OutsideError('transient', 'STAGE_LOST', 'What was kept of an upload beside the target file is damaged.');
}
