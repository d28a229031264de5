import type { Context } from '../../contract.ts';
import type { OutsideError } from '../../../outside/errors.ts';
import { submit } from '../../../lib/pg-internals.ts';
import type { PostgresConfig } from '../manifest.ts';
import { connectedClient, cut } from '../wire/connect.ts';
import { settingsFor } from '../wire/settings.ts';
import { toConnectError, toOutsideError } from '../wire/sql-errors.ts';
import { WalFeed } from './feed.ts';

/** A connection that can send the log. */
export interface Walsender {
  /** One command, such as IDENTIFY_SYSTEM, or statements without parameters. */
  query(text: string): Promise<Record<string, string | null>[]>;
  /** Begins to follow. After this, nothing else can be asked. */
  feed(text: string): WalFeed;
  /** What a failure of the feed means. */
  errorOf(error: unknown): OutsideError;
  destroy(): void;
}

// The log is sent by one command that never ends.
const SETTINGS = 'set statement_timeout = 0; set lock_timeout = 0';

export async function openWalsender(config: PostgresConfig, context: Context, signal: AbortSignal | undefined): Promise<Walsender> {
  const address = { host: config.host, port: config.port ?? 5432 };
  const client = await connectedClient(config, context, signal, 'replication').catch((error: unknown) => {
    throw toConnectError(error, address);
  });
  // Who waits for something is told; without a listener it would also end the process.
  client.on('error', () => {});
  const query = async (text: string): Promise<Record<string, string | null>[]> => {
    try {
      const result: unknown = await client.query(text);
      return Array.isArray(result) ? [] : (result as { rows: Record<string, string | null>[] }).rows;
    } catch (error) {
      throw toOutsideError(error, address);
    }
  };
  try {
    await query(`${settingsFor('read', config)}; ${SETTINGS}`);
  } catch (error) {
    cut(client);
    throw error;
  }
  return {
    query,
    feed: (text) => {
      const feed = new WalFeed(text);
      submit(client, feed);
      return feed;
    },
    errorOf: (error) => toOutsideError(error, address),
    destroy: () => cut(client),
  };
}
