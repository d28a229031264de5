import { after } from 'node:test';
import type { Field } from '../../src/connectors/contract.ts';
import type { Session } from '../../src/connectors/session.ts';
import { type ApiServer, type Handler, startApi } from './api-server.ts';
import { openHttp } from './http-connector.ts';

export interface ServedApis {
  /** Starts an API that is gone when the tests of the file are done. */
  serve: typeof startApi;
  /** The same, and a session of the connector with its one stream, `s`. */
  open: (handler: Handler, stream: object, config?: object) => Promise<{ api: ApiServer; session: Session }>;
}

/** APIs for the tests of one file. `usual` is what holds for every session unless it is said otherwise. */
export function useApis(usual: object = {}): ServedApis {
  const servers: ApiServer[] = [];
  after(() => Promise.all(servers.map((server) => server.close())));
  const serve: typeof startApi = async (...how) => {
    const api = await startApi(...how);
    servers.push(api);
    return api;
  };
  return {
    serve,
    open: async (handler, stream, config = {}) => {
      const api = await serve(handler);
      return { api, session: await openHttp({ base_url: api.url, streams: [{ name: 's', ...stream }], ...usual, ...config }) };
    },
  };
}

const ID_AND_NAME: readonly Field[] = ['id', 'name'].map((name) => ({ name, type: 'text', nullable: true }));
/** Rows of an id and a name, for what only wants to write something. */
export const UPSERT = { stream: 's', fields: ID_AND_NAME, key: ['id'], mode: 'upsert' } as const;
export const rowsOf = (count: number): string[][] => Array.from({ length: count }, (_, i) => [`p${i}`, 'x']);
