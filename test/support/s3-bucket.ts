import { randomBytes } from 'node:crypto';
import { withDefaults } from '../../src/connectors/config-values.ts';
import { PlaceConfig, type S3Config } from '../../src/connectors/files/place/config.ts';
import { S3Client } from '../../src/connectors/files/place/s3/client.ts';
import { list } from '../../src/connectors/files/place/s3/objects.ts';
import { reachOf } from '../../src/outside/reach.ts';
import type { TriedPlace } from './files-conformance.ts';
import type { S3Server } from './s3-server.ts';

const signal = new AbortController().signal;

interface Bucket {
  readonly place: S3Config;
  readonly client: S3Client;
  get(key: string): Promise<Buffer | undefined>;
  put(key: string, content: string | Buffer): Promise<void>;
  /** The names directly below a prefix, of objects and, with a slash, of folders. */
  names(prefix: string): Promise<string[]>;
  /** How many uploads are neither completed nor given up. */
  uploads(): Promise<number>;
}

/** A new bucket, and a way around the connector to what is in it. */
export async function makeBucket(server: Pick<S3Server, 'endpoint' | 'keys'>): Promise<Bucket> {
  const bucket = `test-${randomBytes(6).toString('hex')}`;
  const place = withDefaults(PlaceConfig, { type: 's3', bucket, endpoint: server.endpoint, ...server.keys }) as S3Config;
  const client = new S3Client(place, reachOf('any'));
  (await client.ask({ method: 'PUT', body: Buffer.alloc(0) }, signal)).discard();
  return {
    place,
    client,
    get: async (key) => {
      const answer = await client.ask({ method: 'GET', key, expects: [404] }, signal);
      if (answer.complaint) return undefined;
      const chunks: Buffer[] = [];
      for await (const chunk of answer.body) chunks.push(chunk);
      return Buffer.concat(chunks);
    },
    put: async (key, content) => (await client.ask({ method: 'PUT', key, body: Buffer.from(content) }, signal)).discard(),
    names: async (prefix) => {
      const { files, folders } = await list(client, prefix, signal);
      return [...folders.map((name) => `${name}/`), ...files.map(({ name }) => name)];
    },
    uploads: async () => {
      const { text } = await client.askText({ method: 'GET', query: { uploads: '' } }, signal);
      return text.split('<Upload>').length - 1;
    },
  };
}

/** A folder in a new bucket, for the conformance suite. */
export async function triedBucket(server: S3Server): Promise<TriedPlace> {
  const bucket = await makeBucket(server);
  return {
    config: { path: 'some/where/', place: bucket.place },
    append: async (name, text) =>
      bucket.put(`some/where/${name}`, Buffer.concat([(await bucket.get(`some/where/${name}`)) ?? Buffer.alloc(0), Buffer.from(text)])),
    close: async () => bucket.client.close(),
  };
}
