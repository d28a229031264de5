import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { createInterface } from 'node:readline';
import type { Service } from './service.ts';

/** A request of newline-delimited JSON that stays open: lines go out and answers come in at the same time. */
export interface LineStream {
  write(text: string): void;
  end(text?: string): void;
  /** The next line of the answer, parsed; undefined when there are no more. */
  // oxlint-disable-next-line no-explicit-any -- the tests look into lines of every shape
  next(): Promise<any>;
  response(): Promise<IncomingMessage>;
}

export function openLineStream(service: Pick<Service, 'url' | 'adminKey'>, path: string): LineStream {
  const outgoing = request(service.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.adminKey}`, 'content-type': 'application/x-ndjson' },
  });
  const response = once(outgoing, 'response').then(([incoming]) => incoming as IncomingMessage);
  const lines = response.then((incoming) => createInterface({ input: incoming })[Symbol.asyncIterator]());
  lines.catch(() => {});
  return {
    write: (text) => {
      outgoing.write(text);
    },
    end: (text) => {
      outgoing.end(text);
    },
    next: async () => {
      const { value, done } = await (await lines).next();
      return done ? undefined : JSON.parse(value);
    },
    response: () => response,
  };
}
