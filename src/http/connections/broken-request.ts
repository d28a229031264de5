import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ErrorCode, statusOf } from '../../lib/errors.ts';
import { STATUS_CODES } from '../../lib/built-in/http.ts';
import { errorBody } from '../errors.ts';
import { SECURITY_HEADERS } from '../security-headers.ts';

const TOO_SLOW = 'ERR_HTTP_REQUEST_TIMEOUT';
/** Milliseconds for a client to read why it was refused. */
const LINGER = 2_000;

/** Answers what is not even HTTP, or too slow, or too much of it, with the same body as every other error. */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Duplex): void {
  // In the middle of an answer (a stream that takes too long), a second one would only be taken for a part of it.
  const answering = (socket as { _httpMessage?: { headersSent: boolean } | null })._httpMessage?.headersSent;
  // Where the handshake failed or never ended, nothing can be said: it would wait for the end of the handshake.
  const isTlsFault = /^ERR_(TLS|SSL)_/.test(error.code ?? '');
  // Browsers open connections that they may need later. An answer to nothing would be taken for that to the first request.
  const isSilent = error.code === TOO_SLOW && (socket as Socket).bytesRead === 0;
  if (error.code === 'ECONNRESET' || !socket.writable || answering || isTlsFault || isSilent) socket.destroy();
  else refuse(socket, ...explain(error.code));
}

/** Takes what Node would otherwise answer by itself, and without a body. */
export function answerOddRequests(server: Server): void {
  server.on('connect', (_request, socket) => refuse(socket, 'INVALID_PARAMS', 'CONNECT is not possible here: this is not a proxy.'));
  // Whatever a client expects beyond 100-continue, a server may ignore.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

function refuse(socket: Duplex, code: ErrorCode, message: string): void {
  const status = statusOf[code];
  const body = errorBody(code, message, { reason: message });
  // Nobody else looks after this socket any more.
  socket.on('error', () => socket.destroy());
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'x-request-id': `req_${randomBytes(8).toString('hex')}`,
    ...SECURITY_HEADERS,
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  // A client that goes on sending would hold it for as long as it likes; at once, the answer could be lost with what is unread.
  setTimeout(() => socket.destroy(), LINGER).unref();
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
}

function explain(code: string | undefined): [ErrorCode, string] {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return ['PAYLOAD_TOO_LARGE', 'The headers of the request are larger than 16 KiB.'];
    case TOO_SLOW:
      return ['INVALID_PARAMS', 'The request took too long to arrive.'];
    default:
      return ['INVALID_PARAMS', 'This is not a valid HTTP/1.1 request.'];
  }
}
