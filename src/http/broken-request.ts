import { randomBytes } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { errorBody } from './errors.ts';

/** Answers what is not even HTTP, or too slow, or too much of it, with the same body as every other error. */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, code, message } = explain(error.code);
  const body = errorBody(code, message, { reason: message });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `X-Request-Id: req_${randomBytes(8).toString('hex')}\r\nConnection: close\r\n\r\n${body}`,
  );
}

function explain(code: string | undefined) {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return { status: 413, code: 'PAYLOAD_TOO_LARGE', message: 'The headers of the request are larger than 16 KiB.' };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { status: 400, code: 'INVALID_PARAMS', message: 'The request took too long to arrive.' };
    default:
      return { status: 400, code: 'INVALID_PARAMS', message: 'This is not a valid HTTP/1.1 request.' };
  }
}
