import type { Context } from '../contract.ts';
import type { Connector, Session } from '../session.ts';
import { check } from './check.ts';
import { connect } from './wire/connect.ts';
import { findTables, streamOf } from './catalogue/discover.ts';
import { logOf } from './log/log.ts';
import { type MysqlConfig, manifest } from './manifest.ts';
import { digesting } from './read/digests.ts';
import { read } from './read/read.ts';
import { openApplier } from './apply/open.ts';
import { takeBack } from '../sql-target/undo/take-back.ts';
import { forgetRuns, undoDialect } from './undo/undo.ts';
import { complete } from './structure/complete.ts';
import { connect as connectTables } from './structure/connect.ts';
import { describe } from './structure/describe.ts';
import type { Wire } from './wire/connection.ts';
import { openWriter } from './write/write.ts';

export const connector: Connector<MysqlConfig> = {
  manifest,
  open: (config, context) => Promise.resolve(sessionOf(config, context)),
};

/** Every call has a connection of its own, so that calls may overlap; closing the session ends them all. */
function sessionOf(config: MysqlConfig, given: Context): Session {
  const closing = new AbortController();
  const context: Context = { ...given, signal: AbortSignal.any([given.signal, closing.signal]) };
  const using = async <T>(mode: 'read' | 'write', work: (wire: Wire) => Promise<T>, signal?: AbortSignal): Promise<T> => {
    const wire = await connect(config, context, { mode, signal });
    try {
      return await work(wire);
    } finally {
      wire.end();
    }
  };
  return {
    check: () => check(config, context),
    discover: (names) => using('read', async (wire) => (await findTables(wire, config, names)).map(streamOf)),
    read: (request) => read(config, context, request),
    digests: digesting(config, context),
    log: logOf(config, context),
    write: (request) => openWriter(config, context, request),
    apply: (request) => openApplier(config, context, request),
    structure: {
      describe: (streams, signal) => using('read', (wire) => describe(wire, config, streams), signal),
      complete: (stream, signal) => using('write', (wire) => complete({ wire, config }, stream), signal),
      connect: (streams, signal) => using('write', (wire) => connectTables({ wire, config }, streams), signal),
    },
    undo: {
      undo: (request) => using('write', (wire) => takeBack(undoDialect(wire, config), request)),
      forget: (request) => using('write', (wire) => forgetRuns(wire, request)),
    },
    close: () => {
      closing.abort();
      return Promise.resolve();
    },
  };
}
