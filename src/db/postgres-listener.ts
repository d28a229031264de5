import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Logger } from '../lib/log.ts';

/** On this channel a node tells itself something, to see whether it is heard. */
const ECHO_CHANNEL = 'syncline_echo';
const ECHO_INTERVAL = 10_000;
const ECHO_PATIENCE = 5_000;
const LONGEST_PAUSE = 30_000;

interface Subscription {
  onMessage: (message: string) => void;
  onGap: () => void;
}

/**
 * Hears what is told by `notify`, on a connection of its own that is opened when first needed. Between us and the server there may
 * be a pooler that takes `listen` and loses what is told, or a connection that is dead unnoticed: so from time to
 * time we tell ourselves something through the pool. Who does not hear it starts anew.
 */
export class PostgresListener {
  readonly #url: string;
  readonly #query: (text: string, values: unknown[]) => Promise<unknown>;
  readonly #log: Logger;
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #self = randomBytes(9).toString('base64url');
  #client: pg.Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  #isClosed = false;
  isHeard = false;

  constructor(url: string, query: (text: string, values: unknown[]) => Promise<unknown>, log: Logger) {
    this.#url = url;
    this.#query = query;
    this.#log = log;
  }

  listen(channel: string, onMessage: (message: string) => void, onGap: () => void): void {
    this.#subscriptions.set(channel, { onMessage, onGap });
    if (this.#client) void this.#client.query(`listen ${pg.escapeIdentifier(channel)}`).then(onGap, () => {});
    else void this.#connect();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#disconnect();
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#url,
      application_name: 'syncline',
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
    });
    this.#client = client;
    client.on('error', (error) => this.#startAnew(client, error));
    client.on('end', () => this.#startAnew(client, new Error('The connection was closed.')));
    client.on('notification', ({ channel, payload = '' }) => {
      if (channel === ECHO_CHANNEL) this.#heardEcho(payload);
      else this.#subscriptions.get(channel)?.onMessage(payload);
    });
    try {
      await client.connect();
      const channels = [ECHO_CHANNEL, ...this.#subscriptions.keys()];
      await client.query(channels.map((channel) => `listen ${pg.escapeIdentifier(channel)}`).join(';'));
      await this.#tellMyself(client);
    } catch (error) {
      this.#startAnew(client, error);
    }
  }

  /** Asks for an echo; when it does not come, the connection is of no use. */
  async #tellMyself(client: pg.Client): Promise<void> {
    this.#wait(ECHO_PATIENCE, () => this.#startAnew(client, new Error('What was told was not heard.')));
    await this.#query('select pg_notify($1, $2)', [ECHO_CHANNEL, this.#self]);
  }

  #heardEcho(payload: string): void {
    const client = this.#client;
    if (payload !== this.#self || !client) return;
    this.#failures = 0;
    this.#wait(ECHO_INTERVAL, () => void this.#tellMyself(client).catch((error: unknown) => this.#startAnew(client, error)));
    if (this.isHeard) return;
    this.isHeard = true;
    for (const { onGap } of this.#subscriptions.values()) onGap();
  }

  #startAnew(client: pg.Client, error: unknown): void {
    if (this.#isClosed || this.#client !== client) return;
    if (this.#failures === 0) this.#log.warn({ err: error }, 'no word from other nodes; this one asks more often until there is');
    void this.#disconnect();
    this.#wait(Math.min(LONGEST_PAUSE, 500 * 2 ** this.#failures++), () => void this.#connect());
  }

  async #disconnect(): Promise<void> {
    clearTimeout(this.#timer);
    this.isHeard = false;
    const client = this.#client;
    this.#client = undefined;
    if (!client) return;
    client.removeAllListeners('notification');
    await client.end().catch(() => {});
  }

  #wait(milliseconds: number, then: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(then, milliseconds).unref();
  }
}
