import { open } from 'node:fs/promises';

const PORTION = 1024 * 1024;

/** A file in portions of about a megabyte that end with a row. */
export async function* wholeLines(path: string): AsyncGenerator<Buffer> {
  const handle = await open(path);
  let rest = Buffer.alloc(0);
  for (;;) {
    const buffer = Buffer.allocUnsafeSlow(rest.length + PORTION);
    rest.copy(buffer);
    const { bytesRead } = await handle.read(buffer, rest.length, PORTION);
    const filled = buffer.subarray(0, rest.length + bytesRead);
    const end = filled.lastIndexOf(0x0a) + 1;
    if (end > 0) yield filled.subarray(0, end);
    rest = filled.subarray(end);
    if (bytesRead === 0) break;
  }
  await handle.close();
}
