import { aborted, OutsideError } from '../../outside/errors.ts';
import type { Connector, Session } from '../session.ts';
import { check } from './check.ts';
import type { AirbyteConfig } from './config.ts';
import { discover } from './describe.ts';
import { manifest } from './manifest.ts';
import { outline } from './outline.ts';
import { openManifest, type OpenManifest } from './open.ts';
import { read } from './read.ts';
import { manifestText } from './manifest-text.ts';

export const connector: Connector<AirbyteConfig> = {
  manifest,
  outline: async (config, { roots }) => outline(await manifestText(config, roots), config.settings),
  open: async (config, context): Promise<Session> => {
    const closing = new AbortController();
    const signal = AbortSignal.any([context.signal, closing.signal]);
    const all: OpenManifest[] = [];
    let opened: { text: string; manifest: OpenManifest } | undefined;
    const current = async (): Promise<OpenManifest> => {
      if (signal.aborted) throw aborted();
      const text = await manifestText(config, context.roots);
      if (opened?.text !== text) {
        // Reads that are under way go on with what they began with.
        opened = { text, manifest: openManifest(text, config, context, signal) };
        all.push(opened.manifest);
      }
      return opened.manifest;
    };
    return {
      check: async () => check(await current()),
      discover: async (names) => discover(await current(), names),
      read: async function* (request) {
        yield* read(await current(), request);
      },
      write: async () => {
        throw new OutsideError(
          'config',
          'WRITE_UNSUPPORTED',
          'A manifest of Airbyte tells how to read a service, not how to write to it.',
          {
            hint: 'Choose another target.',
          },
        );
      },
      close: async () => {
        closing.abort();
        for (const one of all) one.close();
      },
    };
  },
};
