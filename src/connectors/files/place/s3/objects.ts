import { aborted, OutsideError } from '../../../../outside/errors.ts';
import type { DataFile } from '../../source/data-file.ts';
import type { S3Client } from './client.ts';
import { brokenAnswer, fileChanged } from './errors.ts';
import { element, elements, isWhole } from './xml.ts';

// As many as are looked at for a pattern.
const MAX_LISTED = 1_000_000;
const MAX_TRIES = 5;
// S3 has 1,024 bytes.
const MAX_KEY = 4096;
// Pages with nothing in them, in a row.
const MAX_EMPTY = 100;
/** The header that our mark of an object is kept in. */
export const MARK_HEADER = 'x-amz-meta-syncline';

interface Listed {
  readonly files: { readonly name: string; readonly size: number; readonly stamp: string }[];
  readonly folders: string[];
}

/** What is directly below a prefix that is empty or ends with a slash. `most` is for looking whether there is anything at all. */
export async function list(client: S3Client, prefix: string, signal: AbortSignal, most = MAX_LISTED): Promise<Listed> {
  const [files, folders]: [Listed['files'], string[]] = [[], []];
  let token: string | undefined;
  let empty = 0;
  do {
    const before = files.length + folders.length;
    const query = {
      'list-type': '2',
      'encoding-type': 'url',
      delimiter: '/',
      prefix,
      ...(most < 1000 && { 'max-keys': String(most) }),
      ...(token !== undefined && { 'continuation-token': token }),
    };
    const { text } = await client.askText({ method: 'GET', query }, signal);
    if (!isWhole(text, 'ListBucketResult')) throw brokenAnswer(client.host, 'a list');
    const decoded = (name: string | undefined): string | undefined => decodedKey(client, name, element(text, 'EncodingType') === 'url');
    for (const entry of elements(text, 'Contents')) {
      const key = decoded(element(entry, 'Key'));
      const size = Number(element(entry, 'Size') ?? Number.NaN);
      if (!key?.startsWith(prefix) || key.length > MAX_KEY || !Number.isSafeInteger(size) || size < 0)
        throw brokenAnswer(client.host, 'a list');
      if (key.length > prefix.length)
        files.push({
          name: key.slice(prefix.length),
          size,
          stamp: stampOf(size, element(entry, 'ETag') ?? element(entry, 'LastModified') ?? ''),
        });
    }
    for (const entry of elements(text, 'CommonPrefixes')) {
      const folder = decoded(element(entry, 'Prefix'));
      if (!folder?.startsWith(prefix) || folder.length > MAX_KEY) throw brokenAnswer(client.host, 'a list');
      folders.push(folder.slice(prefix.length, -1));
    }
    if (files.length + folders.length >= most) {
      if (most === MAX_LISTED)
        throw new OutsideError('config', 'TOO_MANY_FILES', `"${prefix}" has more than ${MAX_LISTED.toLocaleString('en')} objects.`, {
          field: 'path',
        });
      return { files, folders };
    }
    const next = element(text, 'IsTruncated') === 'true' ? element(text, 'NextContinuationToken') : undefined;
    empty = files.length + folders.length > before ? 0 : empty + 1;
    // One that goes on where it stood would never end.
    if (element(text, 'IsTruncated') === 'true' && (next === undefined || next === token || empty > MAX_EMPTY))
      throw brokenAnswer(client.host, 'a list');
    token = next;
  } while (token !== undefined);
  return { files, folders };
}

function decodedKey(client: S3Client, key: string | undefined, isEncoded: boolean): string | undefined {
  if (key === undefined || !isEncoded) return key;
  try {
    return decodeURIComponent(key.replaceAll('+', ' '));
  } catch {
    throw brokenAnswer(client.host, 'a name');
  }
}

function stampOf(size: number, tag: string): string {
  return `${size}-${tag.replaceAll('"', '')}`;
}

interface About {
  readonly size: number;
  readonly stamp: string;
  /** Its ETag; only while it has this, it is the same. */
  readonly tag?: string;
  readonly mark?: string;
}

/** What there is to know of an object; undefined when there is none. */
export async function headOf(client: S3Client, key: string, signal: AbortSignal): Promise<About | undefined> {
  const answer = await client.tell({ method: 'HEAD', key, expects: [404] }, signal);
  if (answer.complaint) return undefined;
  const { headers } = answer;
  const size = Number(headers['content-length'] ?? Number.NaN);
  if (!Number.isSafeInteger(size)) throw brokenAnswer(client.host, 'an answer');
  const mark = headers[MARK_HEADER];
  return {
    size,
    stamp: stampOf(size, headers.etag ?? headers['last-modified'] ?? ''),
    ...(headers.etag !== undefined && !headers.etag.startsWith('W/') && { tag: headers.etag }),
    ...(typeof mark === 'string' && { mark: `mark-${mark}` }),
  };
}

/** An object as a file. */
export function objectFile(client: S3Client, key: string, name: string, about: About): DataFile {
  const { size, stamp, mark } = about;
  // A list tells the tag without its quotes, and for some systems not quite as HEAD does: it is learned with the first bytes.
  let { tag } = about;
  const part = async (from: number, to: number | undefined, signal: AbortSignal) => {
    const headers = { range: `bytes=${from}-${to ?? ''}`, ...(tag !== undefined && { 'if-match': tag }) };
    const answer = await client.ask({ method: 'GET', key, headers, expects: [416] }, signal);
    if (!answer.headers.etag?.startsWith('W/')) tag ??= answer.headers.etag;
    const [, begins, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(String(answer.headers['content-range'])) ?? [];
    const isOther = total !== undefined && total !== '*' && Number(total) !== size;
    if (answer.status === 206 && (isOther || (begins !== undefined && Number(begins) !== from))) {
      answer.discard();
      throw isOther ? fileChanged(name) : brokenAnswer(client.host, `another part of "${name}" than was asked for`);
    }
    return answer;
  };
  return {
    name,
    size,
    stamp,
    ...(mark !== undefined && { mark }),
    bytes: (from, signal) => bytesFrom(from, signal),
    slice: async (from, to, signal) => {
      if (to <= from) return Buffer.alloc(0);
      const answer = await part(from, to - 1, signal);
      if (answer.status === 416) return Buffer.alloc(0);
      const chunks: Buffer[] = [];
      let length = 0;
      for await (const chunk of answer.body) {
        chunks.push(chunk);
        length += chunk.length;
        if (length > to - from) break;
      }
      if (answer.status !== 206 || length !== Math.min(to, size) - from) throw brokenAnswer(client.host, `a part of "${name}"`);
      return Buffer.concat(chunks);
    },
    close: async () => {},
  };

  async function* bytesFrom(from: number, signal: AbortSignal): AsyncGenerator<Buffer> {
    let at = from;
    for (let attempt = 1; at < size; attempt++) {
      const answer = await part(at, undefined, signal);
      if (answer.status === 416) throw fileChanged(name);
      if (answer.status !== 206) {
        answer.discard();
        throw brokenAnswer(client.host, `all of "${name}" instead of a part`);
      }
      const begun = at;
      try {
        for await (const chunk of answer.body) {
          at += chunk.length;
          if (at > size) throw fileChanged(name);
          yield chunk;
        }
        if (at >= size) return;
        throw brokenAnswer(client.host, `a part of "${name}"`);
      } catch (error) {
        if (signal.aborted) throw aborted();
        const mayGoOn = error instanceof OutsideError && ['CONNECTION_LOST', 'ANSWER_BROKEN', 'REQUEST_FAILED'].includes(error.code);
        if (at > begun) attempt = 1;
        if (!mayGoOn || attempt >= MAX_TRIES) throw error;
      }
    }
  }
}
