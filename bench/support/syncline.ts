import { readFileSync } from 'node:fs';
import { adminKeyFile } from '../../src/keys/admin-key.ts';
import { type Contender, startContender } from './processes.ts';
import { CATALOGUE, products } from './shop.ts';

// High enough never to refuse, and on: what the limiter costs is in the figures.
const RATE_LIMIT = '10000000';

const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { scripts: { start: string } };
/** What `npm start` tells Node. */
const FLAGS = scripts.start.match(/--\S+/g)?.join(' ') ?? '';

export interface Syncline extends Contender {
  key: string;
  post(path: string, body?: string): Promise<string>;
  get(path: string): Promise<string>;
  remove(path: string): Promise<string>;
}

/** The real thing, as `syncline start` runs it, with its settings left alone. */
export async function startSyncline(dataDir: string, environment: Record<string, string> = {}): Promise<Syncline> {
  const settings = { NODE_OPTIONS: FLAGS, SYNCLINE_DATA_DIR: dataDir, SYNCLINE_RATE_LIMIT: RATE_LIMIT, ...environment };
  const contender = await startContender(new URL('../../bin/syncline.js', import.meta.url), settings, ['start']);
  const key = environment['SYNCLINE_ADMIN_KEY'] ?? readFileSync(adminKeyFile(dataDir), 'utf8').trim();
  const call = async (path: string, init: RequestInit): Promise<string> => {
    const headers = { authorization: `Bearer ${key}`, ...(init.body !== undefined && { 'content-type': 'application/json' }) };
    const response = await fetch(contender.url + path, { ...init, headers });
    const text = await response.text();
    if (!response.ok) throw new Error(`${init.method} ${path} was answered ${response.status}: ${text}`);
    return text;
  };
  return {
    ...contender,
    key,
    post: (path, body) => call(path, { method: 'POST', ...(body !== undefined && { body }) }),
    get: (path) => call(path, { method: 'GET' }),
    remove: (path) => call(path, { method: 'DELETE' }),
  };
}

/** Puts the catalogue in that the orders of the load are for. */
export async function fillCatalogue(syncline: Syncline): Promise<void> {
  await syncline.post('/api/v1/products/sync/batch', JSON.stringify(products(0, CATALOGUE)));
}
