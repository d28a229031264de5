import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FakeS3 {
  readonly endpoint: string;
  readonly port: number;
  /** Every request, in order: method, path with query, headers, body. */
  readonly asked: { method: string; url: URL; headers: IncomingMessage['headers']; body: Buffer }[];
  close(): void;
}

/** What a storage answers that does not behave. Nothing means: the connection is cut. */
export type Rudeness = (
  request: FakeS3['asked'][number],
  response: ServerResponse,
) => { status?: number; headers?: Record<string, string>; body?: string } | undefined;

/** A server that answers S3 requests as a test wants it; where it says nothing, it cuts the connection. */
export async function startFakeS3(answer: Rudeness): Promise<FakeS3> {
  const asked: FakeS3['asked'] = [];
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const url = new URL(incoming.url ?? '', `http://${incoming.headers.host}`);
      const request = { method: incoming.method ?? '', url, headers: incoming.headers, body: Buffer.concat(chunks) };
      asked.push(request);
      const given = answer(request, response);
      if (response.headersSent) return;
      if (given) response.writeHead(given.status ?? 200, given.headers).end(given.body ?? '');
      else incoming.socket.destroy();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    port,
    asked,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The document of a list. */
export function listOf(keys: readonly string[], next?: string): { body: string } {
  const contents = keys.map((key) => `<Contents><Key>${key}</Key><Size>4</Size><ETag>&quot;tag-${key}&quot;</ETag></Contents>`).join('');
  const more =
    next === undefined
      ? '<IsTruncated>false</IsTruncated>'
      : `<IsTruncated>true</IsTruncated><NextContinuationToken>${next}</NextContinuationToken>`;
  return {
    body: `<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${more}${contents}</ListBucketResult>`,
  };
}

export function errorOf(code: string, more = ''): string {
  return `<?xml version="1.0"?><Error><Code>${code}</Code><Message>No.</Message>${more}</Error>`;
}
