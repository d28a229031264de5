import { isUtf8 } from 'node:buffer';

/** What a file of text is written in, and how many bytes of a byte order mark stand before it. */
export interface Encoding {
  readonly name: string;
  readonly mark: number;
}

const ALIASES: Readonly<Record<string, string>> = { utf8: 'utf-8', latin1: 'latin-1', 'iso-8859-1': 'latin-1', 'utf-16': 'utf-16le' };

/** The one name of an encoding; undefined when there is none such. */
export function encodingNamed(label: string): string | undefined {
  const name = ALIASES[label.toLowerCase()] ?? label.toLowerCase();
  if (name === 'latin-1' || name === 'auto') return name;
  try {
    return new TextDecoder(name).encoding;
  } catch {
    return undefined;
  }
}

/** Tells the encoding from the first bytes. A mark always decides; without one, what the bytes look like. */
export function detectEncoding(head: Buffer, wish: string): Encoding {
  const marked = markOf(head);
  const wished = encodingNamed(wish) ?? 'utf-8';
  if (wished !== 'auto') return { name: wished, mark: marked?.name === wished ? marked.mark : 0 };
  return marked ?? { name: guess(head), mark: 0 };
}

function markOf(head: Buffer): Encoding | undefined {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return { name: 'utf-8', mark: 3 };
  if (head[0] === 0xff && head[1] === 0xfe) return { name: 'utf-16le', mark: 2 };
  if (head[0] === 0xfe && head[1] === 0xff) return { name: 'utf-16be', mark: 2 };
  return undefined;
}

function guess(head: Buffer): string {
  const zeros = [0, 0];
  const length = Math.min(head.length, 4096);
  for (let at = 0; at < length; at++) if (head[at] === 0) zeros[at & 1] = (zeros[at & 1] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  // Every other byte of western text is zero in UTF-16.
  if (odd > length / 4 && even < odd / 8) return 'utf-16le';
  if (even > length / 4 && odd < even / 8) return 'utf-16be';
  if (isUtf8(withoutCutCharacter(head))) return 'utf-8';
  // One broken row does not make a file Latin: it is, when no letter beyond ASCII is good UTF-8.
  return /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/.test(head.toString('latin1'))
    ? 'utf-8'
    : 'windows-1252';
}

/** The bytes without a character at their end of which the rest is still to come. */
export function withoutCutCharacter(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}

// A byte that no UTF-8 text holds. It stands for what has no meaning in the file's encoding, so that the row is told as bad.
const BROKEN = Buffer.from([0xff]);

/** Makes UTF-8 of bytes in another encoding. What cannot be read is not replaced in silence: it stays recognisably broken. */
export async function* toUtf8(chunks: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Buffer> {
  if (encoding === 'latin-1') {
    for await (const chunk of chunks) yield Buffer.from(chunk.toString('latin1'));
    return;
  }
  if (encoding.startsWith('utf-16')) {
    yield* fromUtf16(chunks, encoding === 'utf-16be');
    return;
  }
  // `fatal` would throw away what was read before; so replacements are looked for instead.
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  for await (const chunk of chunks) yield utf8Of(decoder.decode(chunk, { stream: true }));
  yield utf8Of(decoder.decode());
}

function utf8Of(text: string, broken: string | RegExp = '\ufffd'): Buffer {
  if (typeof broken === 'string' ? !text.includes(broken) : text.isWellFormed()) return Buffer.from(text);
  return Buffer.concat(text.split(broken).flatMap((part, index) => (index === 0 ? [Buffer.from(part)] : [BROKEN, Buffer.from(part)])));
}

async function* fromUtf16(chunks: AsyncIterable<Buffer>, isBigEndian: boolean): AsyncGenerator<Buffer> {
  const lonely = /\p{Surrogate}/u;
  let rest = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk]);
    const whole = bytes.length & ~1;
    const units = isBigEndian ? Buffer.from(bytes.subarray(0, whole)).swap16() : bytes.subarray(0, whole);
    const last = whole >= 2 ? units.readUInt16LE(whole - 2) : 0;
    // The second half of the last character may still be to come.
    const end = last >= 0xd800 && last <= 0xdbff ? whole - 2 : whole;
    rest = Buffer.from(bytes.subarray(end));
    if (end > 0) yield utf8Of(units.toString('utf16le', 0, end), lonely);
  }
  if (rest.length > 0) yield BROKEN;
}

/** Text in the encoding of a file that we write; undefined when it has characters that the encoding lacks. */
export function encodeText(text: string, encoding: string): Buffer | undefined {
  switch (encoding) {
    case 'utf-8':
      return Buffer.from(text);
    case 'utf-16le':
      return Buffer.from(text, 'utf16le');
    case 'utf-16be':
      return Buffer.from(text, 'utf16le').swap16();
    default:
      return encodeBytewise(text, encoding);
  }
}

/** The byte order mark that a file we write begins with. */
export function markFor(encoding: string): Buffer {
  if (encoding === 'utf-16le') return Buffer.from([0xff, 0xfe]);
  return encoding === 'utf-16be' ? Buffer.from([0xfe, 0xff]) : Buffer.alloc(0);
}

/** Encodings that we write; all others are for reading. */
export const WRITABLE_ENCODINGS: readonly string[] = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'latin-1'];

let windows: Map<string, number> | undefined;

function encodeBytewise(text: string, encoding: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'latin1');
  const table = encoding === 'latin-1' ? undefined : (windows ??= windowsTable());
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const byte = table && (code > 0xff || (code >= 0x80 && code < 0xa0)) ? table.get(text[at] as string) : code;
    if (byte === undefined || byte > 0xff) return undefined;
    bytes[at] = byte;
  }
  return bytes;
}

function windowsTable(): Map<string, number> {
  const decoder = new TextDecoder('windows-1252');
  return new Map(Array.from({ length: 256 }, (_, byte): [string, number] => [decoder.decode(Uint8Array.of(byte)), byte]));
}
