import { inflateRawSync } from 'node:zlib';
import { OutsideError } from '../../../../outside/errors.ts';

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const LOCAL = 0x04034b50;
/** Of all files in it together: a small packed file may well be a very large one. */
const MOST = 256 * 1024 * 1024;

/** The contents of the files in a ZIP, one after the other. */
export function* zipEntries(bytes: Buffer, host: string): Generator<Buffer> {
  const broken = (cause?: unknown): OutsideError =>
    new OutsideError('transient', 'ANSWER_BROKEN', `${host} sent a ZIP file that cannot be unpacked.`, { cause });
  const end = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  if (end === -1 || end + 22 > bytes.length || bytes.readUInt32LE(end) !== END) throw broken();
  let at = bytes.readUInt32LE(end + 16);
  let left = MOST;
  for (let count = bytes.readUInt16LE(end + 10); count > 0; count--) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== ENTRY) throw broken();
    const method = bytes.readUInt16LE(at + 10);
    const packed = bytes.readUInt32LE(at + 20);
    const nameLength = bytes.readUInt16LE(at + 28);
    const isFolder = bytes
      .subarray(at + 46, at + 46 + nameLength)
      .toString('utf8')
      .endsWith('/');
    const local = bytes.readUInt32LE(at + 42);
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
    if (isFolder) continue;
    if (local + 30 > bytes.length || bytes.readUInt32LE(local) !== LOCAL) throw broken();
    const from = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const content = contentOf(bytes.subarray(from, from + packed), method, left, broken);
    left -= content.length;
    yield content;
  }
}

function contentOf(packed: Buffer, method: number, most: number, broken: (cause?: unknown) => OutsideError): Buffer {
  if (method === 0) return packed;
  if (method !== 8) throw broken();
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(most, 1) });
  } catch (error) {
    throw broken(error);
  }
}
