import { DatabaseSync } from 'node:sqlite';
import { DIGEST_BYTES, KEY_BYTES, type RowMarks } from './proof-shape.ts';

const PARTS = 64;
const ENTRY = 1 + KEY_BYTES + DIGEST_BYTES;
const ROOM = ENTRY * 2048;

/** Which end a row is of. */
export type ProofEnd = 'source' | 'target';

/** What is not written of a part yet. */
interface OpenPart {
  readonly bytes: Buffer;
  length: number;
}

/**
 * Digests of rows on disk, when there are too many that wait for their like: in parts, so that rows that may be alike are in the same one. The
 * temporary file goes with the process.
 */
export class Spill {
  readonly #db = new DatabaseSync('');
  readonly #put;
  readonly #open: readonly OpenPart[] = Array.from({ length: PARTS }, () => ({ bytes: Buffer.allocUnsafe(ROOM), length: 0 }));

  constructor() {
    this.#db.exec('pragma journal_mode = off; create table spilled (part integer not null, bytes blob not null); begin');
    this.#put = this.#db.prepare('insert into spilled (part, bytes) values (?, ?)');
  }

  add(end: ProofEnd, { key, row }: RowMarks): void {
    // The lowest byte of a key is where a table looks for it, so another one chooses the part.
    const part = key.charCodeAt(KEY_BYTES - 1) % PARTS;
    const open = this.#open[part] as OpenPart;
    open.bytes[open.length] = end === 'source' ? 1 : 0;
    open.bytes.write(key, open.length + 1, 'latin1');
    open.bytes.write(row, open.length + 1 + KEY_BYTES, 'latin1');
    open.length += ENTRY;
    if (open.length === ROOM) this.#flush(part);
  }

  #flush(part: number): void {
    const open = this.#open[part] as OpenPart;
    if (open.length > 0) this.#put.run(part, open.bytes.subarray(0, open.length));
    open.length = 0;
  }

  /** Everything that was added, part by part, and each part in the order in which it was. */
  *parts(): Generator<Generator<{ end: ProofEnd; marks: RowMarks }>> {
    for (let part = 0; part < PARTS; part++) this.#flush(part);
    this.#db.exec('create index spilled_part on spilled (part)');
    for (let part = 0; part < PARTS; part++) yield this.#entriesOf(part);
  }

  *#entriesOf(part: number): Generator<{ end: ProofEnd; marks: RowMarks }> {
    for (const { bytes } of this.#db.prepare('select bytes from spilled where part = ? order by rowid').iterate(part)) {
      const text = Buffer.from(bytes as Uint8Array).toString('latin1');
      for (let at = 0; at < text.length; at += ENTRY) {
        const key = text.slice(at + 1, at + 1 + KEY_BYTES);
        yield { end: text.charCodeAt(at) === 1 ? 'source' : 'target', marks: { key, row: text.slice(at + 1 + KEY_BYTES, at + ENTRY) } };
      }
    }
  }

  close(): void {
    this.#db.close();
  }
}
