import { OutsideError } from '../../../outside/errors.ts';
import type { DataFile } from './data-file.ts';
import type { Answer } from '../../../outside/http/exchange.ts';
import { ask, type Remote } from './request.ts';
import { without } from '../text/unpack.ts';

const MAX_TRIES = 5;
// A file without ranges is held as a whole when parts of it are wanted.
const MAX_HELD = 64 * 1024 * 1024;

/** A file behind a URL; undefined when the server says that there is none. */
export async function remoteFile(remote: Remote, url: string, name: string, signal: AbortSignal): Promise<DataFile | undefined> {
  const about = await headOf(remote, url, signal);
  if (about.status === 404 || about.status === 410) return undefined;
  const { size, stamp, tag } = about;
  let held: Promise<Buffer> | undefined;
  const whole = async (): Promise<Buffer> => {
    const parts: Buffer[] = [];
    let length = 0;
    for await (const chunk of bodyFrom(remote, url, 0, tag, signal)) {
      length += chunk.length;
      if (length > MAX_HELD) throw rangesNeeded(name);
      parts.push(chunk);
    }
    return Buffer.concat(parts);
  };
  return {
    name,
    stamp,
    size,
    bytes: (from, stop) => bodyFrom(remote, url, from, tag, stop),
    slice: async (from, to, stop) => {
      if (held) return (await held).subarray(from, to);
      const answer = await ask(
        remote,
        'GET',
        url,
        { range: `bytes=${from}-${to - 1}`, ...(tag !== undefined && { 'if-range': tag }) },
        stop,
      );
      if (answer.status === 206) return collected(answer, to - from);
      answer.discard();
      held = whole();
      return (await held).subarray(from, to);
    },
    close: async () => {
      held = undefined;
    },
  };
}

async function headOf(remote: Remote, url: string, signal: AbortSignal) {
  let answer = await ask(remote, 'HEAD', url, {}, signal, [403, 404, 405, 410, 501]);
  answer.discard();
  // Some servers, and addresses that are signed for reading, do not take HEAD: one byte tells as much.
  if ([403, 405, 501].includes(answer.status)) {
    answer = await ask(remote, 'GET', url, { range: 'bytes=0-0' }, signal, [404, 410, 416]);
    answer.discard();
  }
  const { headers } = answer;
  const ranged = /\/(\d+)$/.exec(headers['content-range'] ?? '')?.[1];
  const length = answer.status === 206 || answer.status === 416 ? ranged : headers['content-length'];
  const size = length === undefined ? undefined : Number(length);
  const tag = strongTag(headers.etag);
  const stamp = headers.etag ?? headers['last-modified'];
  return {
    status: answer.status,
    size,
    tag: tag ?? headers['last-modified'],
    stamp: stamp === undefined ? undefined : `${size ?? ''}-${stamp}`,
  };
}

/** A weak tag says that two versions mean the same, not that their bytes are. */
function strongTag(tag: string | undefined): string | undefined {
  return tag?.startsWith('W/') ? undefined : tag;
}

/** The bytes from an offset on. When the connection is lost, it goes on where it was, if the server can. */
async function* bodyFrom(remote: Remote, url: string, from: number, tag: string | undefined, signal: AbortSignal): AsyncGenerator<Buffer> {
  let at = from;
  for (let attempt = 1; ; attempt++) {
    const range = at > 0 ? { range: `bytes=${at}-`, ...(tag !== undefined && { 'if-range': tag }) } : {};
    const answer = await ask(remote, 'GET', url, range, signal, at > 0 ? [416] : []);
    if (answer.status === 416) {
      answer.discard();
      return;
    }
    const begun = at;
    // Without ranges everything comes again, and what is known is skipped.
    const body = answer.status === 206 ? answer.body : without(answer.body, at);
    try {
      for await (const chunk of body) {
        at += chunk.length;
        yield chunk;
      }
      return;
    } catch (error) {
      const canGoOn = tag !== undefined && (answer.status === 206 || answer.headers['accept-ranges'] === 'bytes');
      if (signal.aborted || !(error instanceof OutsideError) || error.code !== 'CONNECTION_LOST' || !canGoOn) throw error;
      if (at > begun) attempt = 1;
      if (attempt >= MAX_TRIES) throw error;
    }
  }
}

async function collected({ body }: Answer, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(length);
  let at = 0;
  for await (const chunk of body) {
    if (at + chunk.length > length) break;
    at += chunk.copy(bytes, at);
  }
  return bytes.subarray(0, at);
}

function rangesNeeded(name: string): OutsideError {
  return new OutsideError('config', 'RANGES_NEEDED', `The server of "${name}" does not send parts of a file, and the file is large.`, {
    field: 'url',
    hint: 'Parquet is read from its end: use a server that allows ranges, or put the file into a folder.',
  });
}
