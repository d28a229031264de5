import { aborted, OutsideError } from '../../../../outside/errors.ts';
import type { S3Client } from './client.ts';
import { brokenAnswer, complaintInWords, complaintOf, isPassing } from './errors.ts';
import { headOf, MARK_HEADER } from './objects.ts';
import { element, escaped, isWhole } from './xml.ts';

// All parts but the last have the same size, as some systems want it. S3 takes 10,000 of them.
const PART = 16 * 1024 * 1024;
const MAX_PARTS = 10_000;
const TRIES = 4;

/** An object on its way: all that it takes to make it visible, or to give it up. */
export interface Upload {
  readonly id: string;
  readonly mark: string;
  /** The tags of its parts, in order, once all of them are there. */
  readonly parts?: readonly string[];
}

export async function beginUpload(client: S3Client, key: string, mark: string, signal: AbortSignal): Promise<Upload> {
  const { text } = await client.askText({ method: 'POST', key, query: { uploads: '' }, headers: { [MARK_HEADER]: mark } }, signal);
  const id = element(text, 'UploadId');
  if (id === undefined || id === '' || !isWhole(text, 'InitiateMultipartUploadResult')) throw brokenAnswer(client.host, 'an answer');
  return { id, mark };
}

/** Sends the parts. One is on its way while the next is collected. Without any bytes there are no parts. */
export async function sendParts(
  client: S3Client,
  key: string,
  { id, mark }: Upload,
  chunks: AsyncIterable<Buffer>,
  signal: AbortSignal,
): Promise<Upload> {
  const parts: string[] = [];
  let underWay: Promise<void> = Promise.resolve();
  let number = 0;
  const send = async (body: Buffer): Promise<void> => {
    await underWay;
    number++;
    if (number > MAX_PARTS)
      throw new OutsideError('config', 'FILE_TOO_LARGE', `"${key}" would be larger than ${(PART * MAX_PARTS) / 2 ** 30} GiB.`, {
        hint: 'Write to several files, or pack them.',
      });
    const query = { partNumber: String(number), uploadId: id };
    underWay = client.tell({ method: 'PUT', key, query, body }, signal).then(({ headers: { etag } }) => {
      if (etag === undefined) throw brokenAnswer(client.host, 'an answer');
      parts.push(etag);
    });
    // It is told when it is waited for.
    underWay.catch(() => {});
  };
  let waiting: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    if (signal.aborted) throw aborted();
    for (let at = 0; at < chunk.length; ) {
      const piece = chunk.subarray(at, at + PART - length);
      waiting.push(piece);
      length += piece.length;
      at += piece.length;
      if (length < PART) continue;
      await send(Buffer.concat(waiting));
      [waiting, length] = [[], 0];
    }
  }
  if (length > 0) await send(Buffer.concat(waiting));
  await underWay;
  if (signal.aborted) throw aborted();
  return { id, mark, parts };
}

/** Makes it visible, all at once. False when the storage no longer knows of it, and it has not become visible either. */
export async function completeUpload(
  client: S3Client,
  key: string,
  { id, mark, parts = [] }: Upload,
  signal: AbortSignal,
): Promise<boolean> {
  const list = parts.map((tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${escaped(tag)}</ETag></Part>`).join('');
  const body = Buffer.from(`<CompleteMultipartUpload>${list}</CompleteMultipartUpload>`);
  const isThere = async (): Promise<boolean> => (await headOf(client, key, signal))?.mark === markOf(mark);
  for (let attempt = 1; ; attempt++) {
    const request = { method: 'POST', key, query: { uploadId: id }, body, expects: ['NoSuchUpload'], isLong: true } as const;
    const { text, complaint } = await client.askText(request, signal);
    if (complaint) return isThere();
    if (isWhole(text, 'CompleteMultipartUploadResult')) return true;
    // It takes long, so the storage says 200 before it knows; what became of it stands in the document.
    if (isWhole(text, 'Error')) {
      const said = complaintOf(500, {}, text);
      if (said.code === 'NoSuchUpload') return isThere();
      const isKnown = said.code !== '' && !isPassing({ ...said, status: 200 });
      if (isKnown || attempt >= TRIES) throw complaintInWords(isKnown ? { ...said, status: 400 } : said, client.host, client.bucket, key);
    } else {
      if (await isThere()) return true;
      if (attempt >= TRIES) throw brokenAnswer(client.host, 'an answer');
    }
  }
}

export async function abortUpload(client: S3Client, key: string, { id }: Upload, signal: AbortSignal): Promise<void> {
  await client.tell({ method: 'DELETE', key, query: { uploadId: id }, expects: [404] }, signal);
}

/** The mark of an object, as its file tells it. */
export function markOf(mark: string): string {
  return `mark-${mark}`;
}
