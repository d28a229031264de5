import type { Connector, Context, Session } from '../contract.ts';
import { check } from './check.ts';
import { connect } from './wire/connect.ts';
import { findTables, streamOf } from './catalogue/discover.ts';
import { type MysqlConfig, manifest } from './manifest.ts';
import { read } from './read/read.ts';
import { openWriter } from './write/write.ts';

export const connector: Connector<MysqlConfig> = {
  manifest,
  open: (config, context) => Promise.resolve(sessionOf(config, context)),
};

/** Every call has a connection of its own, so that calls may overlap; closing the session ends them all. */
function sessionOf(config: MysqlConfig, given: Context): Session {
  const closing = new AbortController();
  const context: Context = { ...given, signal: AbortSignal.any([given.signal, closing.signal]) };
  return {
    check: () => check(config, context),
    discover: async (names) => {
      const wire = await connect(config, context, { mode: 'read' });
      try {
        return (await findTables(wire, config, names)).map(streamOf);
      } finally {
        wire.end();
      }
    },
    read: (request) => read(config, context, request),
    write: (request) => openWriter(config, context, request),
    close: () => {
      closing.abort();
      return Promise.resolve();
    },
  };
}
