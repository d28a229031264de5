import * as http from 'node:http';
import * as https from 'node:https';
import { isIP } from 'node:net';
import { PassThrough, pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { aborted, OutsideError } from '../../../outside/errors.ts';
import type { Reach } from '../../../outside/reach.ts';
import type { Agents } from './agents.ts';
import { connectionError, otherProtocol } from './problems.ts';

export interface Outgoing {
  method: string;
  url: URL;
  headers: Readonly<Record<string, string>>;
  body?: Buffer | undefined;
}

/** What came back; the body comes as it is asked for, unpacked and within bounds. */
export interface Answer {
  status: number;
  headers: http.IncomingHttpHeaders;
  /** Where it came from, after redirects. */
  url: URL;
  body: AsyncIterable<Buffer>;
  /** Lets go of what was not read. */
  discard(): void;
}

export interface Bounds {
  /** Milliseconds of silence. */
  timeout: number;
  /** Milliseconds that we wait for an answer in all. */
  total: number;
  /** Of the unpacked body. */
  bytes: number;
}

/** Below this, after the first `timeout`, a body only trickles. */
const MIN_BYTES_PER_SECOND = 256;
/** How much of a body is taken in before anybody asks for it, so that a small page never holds its connection up. */
const READ_AHEAD = 1024 * 1024;

/** One request and its answer. Nothing is followed, nothing is tried again. */
export async function exchange(
  { method, url, headers, body }: Outgoing,
  { agents, reach, bounds, signal }: { agents: Agents; reach: Reach; bounds: Bounds; signal: AbortSignal },
): Promise<Answer> {
  if (signal.aborted) throw aborted();
  const host = url.hostname.replace(/^\[|\]$/g, '');
  demandLiteral(reach, host, url);
  const { response, request } = await new Promise<{ response: http.IncomingMessage; request: http.ClientRequest }>((resolve, reject) => {
    const outgoing = (url.protocol === 'https:' ? https : http).request({
      method,
      host,
      port: url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port),
      path: url.pathname + url.search,
      headers: { ...headers, host: url.host, ...(body && { 'content-length': String(body.length) }) },
      agent: agents.agentFor(url),
      lookup: reach.lookup,
      signal,
    });
    const timer = setTimeout(() => outgoing.destroy(tooSlow(`did not answer within ${bounds.timeout / 1000} s`)), bounds.timeout);
    const fail = (error: unknown): void => {
      clearTimeout(timer);
      reject(signal.aborted ? aborted() : connectionError(error, url, outgoing.reusedSocket));
    };
    const ended = (): void => fail(new Error('The request ended without an answer.'));
    outgoing.once('error', fail);
    outgoing.once('close', ended);
    outgoing.once('upgrade', (_, socket) => {
      socket.destroy();
      fail(otherProtocol(host));
    });
    outgoing.once('response', (incoming) => {
      clearTimeout(timer);
      outgoing.off('close', ended);
      resolve({ response: incoming, request: outgoing });
    });
    outgoing.end(body);
  });
  // From here on the body tells of failures; a request that nobody listens to would end the process.
  request.on('error', () => {});
  const stream = unpacked(response, url);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    url,
    body: bounded(stream, bounds, signal, url),
    discard: () => {
      stream.destroy();
      response.destroy();
    },
  };
}

/** Of an address there is nothing to look up, so nobody else would judge it before we connect. */
function demandLiteral(reach: Reach, host: string, url: URL): void {
  try {
    if (isIP(host)) reach.demand(host);
  } catch (error) {
    throw connectionError(error, url);
  }
}

function unpacked(response: http.IncomingMessage, url: URL): Readable {
  const ahead = new PassThrough({ highWaterMark: READ_AHEAD });
  const done = (): void => {};
  const encoding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  const decoder = decoderOf(encoding);
  if (decoder === undefined) {
    ahead.destroy(
      new OutsideError('config', 'ENCODING_UNKNOWN', `${url.host} packed its answer in a way that Syncline does not know.`, {
        hint: 'It was asked for gzip, br, zstd or nothing at all.',
      }),
    );
    response.destroy();
  } else if (decoder === null) pipeline(response, ahead, done);
  else pipeline(response, decoder, ahead, done);
  // A failure before the first read is told by that read.
  ahead.on('error', () => {});
  return ahead;
}

/** Null when nothing is packed, undefined when we cannot unpack it. */
function decoderOf(encoding: string): NodeJS.ReadWriteStream | null | undefined {
  switch (encoding) {
    case 'identity':
    case '':
      return null;
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    case 'zstd':
      return createZstdDecompress();
    default:
      return undefined;
  }
}

async function* bounded(stream: Readable, bounds: Bounds, signal: AbortSignal, url: URL): AsyncGenerator<Buffer> {
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const stop = (): void => void stream.destroy(aborted());
  signal.addEventListener('abort', stop, { once: true });
  let bytes = 0;
  // Only the time that the other side let us wait counts, not the time that our own reader takes.
  let waited = 0;
  try {
    for (;;) {
      if (signal.aborted) throw aborted();
      const from = performance.now();
      const timer = setTimeout(() => stream.destroy(tooSlow('went silent in the middle of an answer')), bounds.timeout);
      const { value, done } = await chunks.next().finally(() => clearTimeout(timer));
      waited += performance.now() - from;
      if (done) return;
      bytes += value.length;
      if (bytes > bounds.bytes) throw tooLarge(bounds.bytes);
      if (waited > bounds.total) throw tooSlow(`needs more than ${bounds.total / 1000} s for one answer`);
      if (waited > bounds.timeout && bytes < (MIN_BYTES_PER_SECOND * waited) / 1000) throw tooSlow('sends its answer drop by drop');
      yield value;
    }
  } catch (error) {
    throw signal.aborted ? aborted() : connectionError(error, url);
  } finally {
    signal.removeEventListener('abort', stop);
    stream.destroy();
  }
}

/** The host's name is put in by whoever knows it. */
function tooSlow(what: string): OutsideError {
  return new OutsideError('transient', 'TIMEOUT', `The API ${what}.`, {
    hint: 'Check that the API is well; ask for smaller pages; or raise `timeout_seconds` or `max_response_seconds`.',
  });
}

function tooLarge(bytes: number): OutsideError {
  return new OutsideError('config', 'RESPONSE_TOO_LARGE', `The API sent an answer of more than ${megabytes(bytes)} MB.`, {
    field: 'max_response_mb',
    hint: 'Ask for smaller pages, or raise `max_response_mb`.',
  });
}

export function megabytes(bytes: number): string {
  return String(Math.round((bytes / 1_000_000) * 1000) / 1000);
}
