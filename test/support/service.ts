import { readFileSync } from 'node:fs';
import { type App, buildApp, type AppOptions } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import type { Engine } from '../../src/db/sql.ts';
import type { Scope } from '../../src/http/scopes.ts';
import { adminKeyFile } from '../../src/keys/admin-key.ts';
import { createLog } from '../../src/lib/log.ts';
import { preparedPlace, type Place } from './databases.ts';

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  // oxlint-disable-next-line no-explicit-any -- the tests look into bodies of every shape
  body: any;
}

export interface CallOptions {
  /** The key to send; null sends none. The admin key unless said otherwise. */
  key?: string | null;
  headers?: Record<string, string>;
  /** Sent as JSON; `raw` is sent as it is. */
  body?: unknown;
  raw?: string | Buffer;
  /** Whether a name that is taken is to be refused, and not told apart by a number. */
  exactName?: boolean;
}

/** A running Syncline in this process, on a port and a database of its own. */
export interface Service {
  url: string;
  adminKey: string;
  app: App;
  place: Place;
  call(method: string, path: string, options?: CallOptions): Promise<Reply>;
  get(path: string, options?: CallOptions): Promise<Reply>;
  post(path: string, body?: unknown, options?: CallOptions): Promise<Reply>;
  /** A new key with these scopes. */
  keyWith(...scopes: Scope[]): Promise<string>;
  close(): Promise<void>;
}

/** Keys have names of their own. */
let keysMade = 0;

export interface ServiceOptions extends Partial<Omit<AppOptions, 'config'>> {
  environment?: Record<string, string>;
  place?: Place;
}

export async function startService(engine: Engine, options: ServiceOptions = {}): Promise<Service> {
  const place = options.place ?? (await preparedPlace(engine));
  const config = readConfig({
    PORT: '0',
    SYNCLINE_DATA_DIR: place.dataDir,
    SYNCLINE_RATE_LIMIT: '0',
    SYNCLINE_WRONG_KEYS: '0',
    ...(place.databaseUrl && { DATABASE_URL: place.databaseUrl }),
    ...options.environment,
  });
  const app = await buildApp({ config, log: createLog('silent'), hiddenTypes: true, ...options });
  const url = await app.listen();
  const adminKey = config.adminKey ?? readFileSync(adminKeyFile(place.dataDir), 'utf8').trim();
  const call = (method: string, path: string, callOptions: CallOptions = {}): Promise<Reply> =>
    callService(url, adminKey, method, path, callOptions);
  return {
    url,
    adminKey,
    app,
    place,
    call,
    get: (path, callOptions) => call('GET', path, callOptions),
    post: (path, body, callOptions) => call('POST', path, { body, ...callOptions }),
    keyWith: async (...scopes) =>
      (await call('POST', '/api/v1/keys', { body: { name: `${scopes.join(' ')} ${++keysMade}`, scopes } })).body.data.key as string,
    close: async () => {
      await app.close();
      if (!options.place) await place.remove();
    },
  };
}

/** Calls a service wherever it runs. Cases share a service and call things alike: one whose name is taken gets a number behind it, unless the name is what is tested. */
export async function callService(url: string, adminKey: string, method: string, path: string, options: CallOptions): Promise<Reply> {
  const call = (changed: CallOptions): Promise<Reply> => callOnce(url, adminKey, method, path, changed);
  return method === 'POST' && !options.exactName ? withFreeName(call, options) : call(options);
}

/** Asks with other names until one is not taken. */
export async function withFreeName(call: (options: CallOptions) => Promise<Reply>, options: CallOptions): Promise<Reply> {
  for (let [given, count] = [options, 2]; ; count++) {
    const reply = await call(given);
    const isTaken = reply.status === 409 && /^is the name of \w{3}_/.test(reply.body?.error.details.reason);
    if (!isTaken) return reply;
    const body = given.body as { name: string };
    given = { ...given, body: { ...body, name: `${body.name.replace(/ \(\d+\)$/, '')} (${count})` } };
  }
}

async function callOnce(url: string, adminKey: string, method: string, path: string, options: CallOptions): Promise<Reply> {
  const { key = adminKey, body, raw } = options;
  const headers = new Headers(options.headers);
  if (key !== null && !headers.has('authorization')) headers.set('authorization', `Bearer ${key}`);
  if ((body !== undefined || raw !== undefined) && !headers.has('content-type')) headers.set('content-type', 'application/json');
  const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const response = await fetch(url + path, {
    method,
    headers,
    ...(payload !== undefined && { body: payload as NonNullable<RequestInit['body']> }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  return { status: response.status, headers: response.headers, text, body: isJson && text !== '' ? JSON.parse(text) : undefined };
}
