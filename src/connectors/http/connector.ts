import type { Connector, Session } from '../session.ts';
import { aborted } from '../../outside/errors.ts';
import type { Api } from './api.ts';
import { check } from './check.ts';
import { createClient } from './client/client.ts';
import type { HttpConfig } from './config/config.ts';
import { discover } from './discover.ts';
import { manifest } from './manifest.ts';
import { read } from './read/read.ts';
import { openWriter } from './write/write.ts';

export const connector: Connector<HttpConfig> = {
  manifest,
  open: async (config, context): Promise<Session> => {
    const closing = new AbortController();
    const signal = AbortSignal.any([context.signal, closing.signal]);
    const client = createClient(config, context, signal);
    const api: Api = { config, client, signal, tell: context.tell, places: new Map(), inferred: new Map(), found: new Map() };
    const demandOpen = async (): Promise<void> => {
      if (signal.aborted) throw aborted();
    };
    return {
      check: () => demandOpen().then(() => check(api)),
      discover: (names) => demandOpen().then(() => discover(api, names)),
      read: (request) => read(api, request),
      write: (request) => demandOpen().then(() => openWriter(api, request)),
      close: async () => {
        closing.abort();
        client.close();
      },
    };
  },
};
