import type { Wire } from '../wire/connection.ts';

/** The text in these bytes. */
export type TextReader = (bytes: Buffer, start: number, end: number) => string;

/** What a single byte means, and what two do: as the server itself has it, so that a text is what a read would give. */
export interface CharsetTable {
  /** 256 code points. */
  readonly singles: readonly number[];
  /** The code point of `first × 256 + second`, or 0 where that is no character. */
  readonly pairs?: Uint32Array;
  /** The rest of it, where three or four bytes are one character. */
  readonly decoder?: string;
}

const utf8: TextReader = (bytes, start, end) => bytes.toString('utf8', start, end);

function decoded(label: string): TextReader {
  const decoder = new TextDecoder(label, { ignoreBOM: true });
  return (bytes, start, end) => decoder.decode(bytes.subarray(start, end));
}

function utf32(bytes: Buffer, start: number, end: number): string {
  let text = '';
  for (let at = start; at + 4 <= end; at += 4) text += String.fromCodePoint(Math.min(bytes.readUInt32BE(at), 0x10_ffff));
  return text;
}

/** What needs no table. */
const KNOWN: ReadonlyMap<string, () => TextReader> = new Map([
  ['utf8mb4', () => utf8],
  ['utf8mb3', () => utf8],
  ['utf8', () => utf8],
  ['ucs2', () => decoded('utf-16be')],
  ['utf16', () => decoded('utf-16be')],
  ['utf16le', () => decoded('utf-16le')],
  ['utf32', () => utf32],
  ['gb18030', () => decoded('gb18030')],
]);

export const needsTable = (charset: string): boolean => !KNOWN.has(charset);

export function textReader(charset: string, table: CharsetTable | undefined): TextReader {
  const known = KNOWN.get(charset);
  if (known) return known();
  if (!table) throw new Error(`The table of the character set ${charset} was not fetched.`);
  return tableReader(table);
}

function tableReader({ singles, pairs, decoder }: CharsetTable): TextReader {
  const isLikeAscii = singles.slice(0, 128).every((code, i) => code === i);
  const others = decoder ? decoded(decoder) : undefined;
  return (bytes, start, end) => {
    let at = start;
    if (isLikeAscii) {
      while (at < end && (bytes[at] as number) < 0x80) at++;
      if (at === end) return bytes.toString('latin1', start, end);
    }
    let text = bytes.toString('latin1', start, at);
    while (at < end) {
      const first = bytes[at] as number;
      const pair = pairs && at + 1 < end ? pairs[first * 256 + (bytes[at + 1] as number)] : 0;
      if (pair) {
        text += String.fromCodePoint(pair);
        at += 2;
      } else if (others && first === 0x8f && at + 2 < end) {
        text += others(bytes, at, at + 3);
        at += 3;
      } else {
        text += String.fromCodePoint(singles[first] as number);
        at++;
      }
    }
    return text;
  };
}

const ALL_BYTES = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
const QUESTION_MARK = 0x3f;

/** Asks the server what the bytes of a character set mean. */
export async function fetchTable(wire: Wire, charset: string): Promise<CharsetTable> {
  if (!/^[a-z0-9_]+$/.test(charset)) throw new Error(`${charset} is no name of a character set.`);
  const [[longest] = []] = await wire.rows(`select maxlen from information_schema.character_sets where character_set_name = '${charset}'`);
  if (longest === '1') {
    const [[codes] = []] = await wire.rows(`select hex(convert(_${charset} x'${ALL_BYTES.toString('hex')}' using utf32))`);
    return { singles: codePoints(codes ?? '') };
  }
  const numbers = 'with recursive n (i) as (select 0 union all select i + 1 from n where i < 255) ';
  const meaning = (bytes: string): string => `hex(convert(convert(unhex(${bytes}) using ${charset}) using utf32))`;
  const singles = await wire.rows(`${numbers}select i, ${meaning('lpad(hex(i), 2, 0)')} from n`);
  const pairs = await wire.rows(
    `${numbers}select a.i * 256 + b.i, ${meaning('lpad(hex(a.i * 256 + b.i), 4, 0)')} from n a, n b where a.i > 127`,
  );
  const table = { singles: [...ALL_BYTES], pairs: new Uint32Array(65_536) };
  for (const [byte, codes] of singles) table.singles[Number(byte)] = codePoints(codes ?? '')[0] ?? QUESTION_MARK;
  for (const [pair, codes] of pairs) {
    const [code = QUESTION_MARK, ...more] = codePoints(codes ?? '');
    // Anything else is not one character of two bytes.
    if (more.length === 0 && code !== QUESTION_MARK) table.pairs[Number(pair)] = code;
  }
  return { ...table, ...(longest === '3' && { decoder: 'euc-jp' }) };
}

function codePoints(hex: string): number[] {
  return Array.from({ length: hex.length / 8 }, (_, i) => Number.parseInt(hex.slice(i * 8, i * 8 + 8), 16));
}
