import { request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Syncline } from './syncline.ts';

/** Sends orders as newline-delimited JSON over one connection; answers how many of the lines of the answer tell of success. */
export async function sendOrders({ url, key }: Syncline, chunks: Iterable<Buffer>): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' };
  const sent = request(`${url}/api/v1/orders/batch`, { method: 'POST', headers });
  const counted = new Promise<number>((resolve, reject) => {
    sent.once('error', reject);
    sent.once('response', (response) => {
      let [made, rest] = [0, ''];
      response.setEncoding('latin1');
      response.on('data', (text: string) => {
        const lines = (rest + text).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) if (line.includes('"success":true')) made++;
      });
      response.once('end', () => resolve(made));
      response.once('error', reject);
    });
  });
  await pipeline(Readable.from(chunks), sent);
  return counted;
}
