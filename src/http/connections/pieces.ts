import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** Large enough to cost nothing, and so small that it can be seen whether the client reads. */
const PIECE = 64 * 1024;

/** Whether an answer is so large that it goes out in pieces. */
export function isLarge(answer: string | Buffer): boolean {
  return answer.length > PIECE;
}

/** The bytes, some at a time, as fast as the client takes them. They are not copied: many may be sent the same ones. */
export function inPieces(bytes: Buffer): Readable {
  let sent = 0;
  return new Readable({
    highWaterMark: PIECE,
    read() {
      const end = Math.min(sent + PIECE, bytes.length);
      this.push(bytes.subarray(sent, end));
      sent = end;
      if (end === bytes.length) this.push(null);
    },
  });
}

/** Sends bytes that are kept anyway: however many clients take their time, they are in memory once. */
export function sendBytes(reply: FastifyReply, bytes: Buffer): FastifyReply {
  return isLarge(bytes) ? reply.header('content-length', bytes.length).send(inPieces(bytes)) : reply.send(bytes);
}
