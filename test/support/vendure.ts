import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { freePort } from './postgres-server.ts';

const VERSION = '3.7.3';
/** Where it is installed once, for all runs of the tests. */
const HOME = join(tmpdir(), `syncline-vendure-${VERSION}`);
// Of one of Vendure's dependencies, newer versions ask for one that some registries do not have.
const PACKAGE = {
  private: true,
  dependencies: { '@vendure/core': VERSION, pg: '8' },
  overrides: { '@graphql-tools/batch-execute': '10.2.0' },
};
const LAST_WORDS = 4_000;

/** A shop with five articles, `SKU-1` to `SKU-5`, of 10 pieces each or as many as was said, and all that it is asked. */
export interface Vendure {
  /** Of a server in front of it, which listens. */
  url: string;
  /** Itself: what is asked there is not written down. */
  direct: string;
  password: string;
  /** How often a name occurred in what it was asked since the last time. */
  asked(name: string): number;
  /** `SKU-1 100 10`: article, price in cents and stock. */
  articles(): Promise<string[]>;
  stop(): void;
}

/** A real Vendure 3 from npm, on a database of its own. */
export async function startVendure(database: string, stock = 10): Promise<Vendure> {
  install();
  const folder = mkdtempSync(join(tmpdir(), 'syncline-vendure-'));
  const [port, password] = [await freePort(), 'the password of that administrator'];
  const program = new URL('./vendure-server.ts', import.meta.url).pathname;
  const told = { VENDURE_HOME: HOME, VENDURE_DATABASE: database, VENDURE_PORT: String(port), VENDURE_PASSWORD: password };
  const env = { ...process.env, ...told, VENDURE_STOCK: String(stock) };
  const server = spawn(process.execPath, [program], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const bodies: string[] = [];
  const front = await listenInFront(port, bodies);
  const stop = (): void => {
    server.kill('SIGKILL');
    front.close();
    rmSync(folder, { recursive: true, force: true });
  };
  // Also when something else fails and nobody gets to stop it.
  process.once('exit', stop);
  await untilReady(server);
  return {
    url: `http://127.0.0.1:${(front.address() as AddressInfo).port}`,
    direct: `http://127.0.0.1:${port}`,
    password,
    asked: (name) => bodies.splice(0).join('\n').split(name).length - 1,
    articles: () => articlesOf(`http://127.0.0.1:${port}/admin-api`, password),
    stop,
  };
}

function install(): void {
  if (existsSync(join(HOME, 'done'))) return;
  mkdirSync(HOME, { recursive: true });
  writeFileSync(join(HOME, 'package.json'), JSON.stringify(PACKAGE));
  const result = spawnSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: HOME, encoding: 'utf8' });
  if (result.status !== 0) throw new Error(`The tests of Vendure install it from npm, which failed: ${result.stderr}`);
  writeFileSync(join(HOME, 'done'), '');
}

async function untilReady(server: ChildProcess): Promise<void> {
  let words = '';
  const listen = (chunk: Buffer | string): void => {
    words = (words + chunk.toString()).slice(-LAST_WORDS);
  };
  server.stderr?.on('data', listen);
  for await (const line of createInterface({ input: server.stdout as NodeJS.ReadableStream })) {
    listen(`${line}\n`);
    if (line === 'ready') {
      server.stdout?.resume();
      return;
    }
  }
  throw new Error(`Vendure did not start. It said last:\n${words}`);
}

/** Passes everything on, and writes down what was asked. */
async function listenInFront(port: number, bodies: string[]): Promise<Server> {
  const front = createServer((request, response) => {
    void (async () => {
      const body = await text(request);
      bodies.push(body);
      const { authorization, 'content-type': type = 'application/json' } = request.headers;
      const headers = { 'content-type': type, ...(authorization !== undefined && { authorization }) };
      const answer = await fetch(`http://127.0.0.1:${port}${request.url}`, { method: request.method ?? 'POST', headers, body });
      const token = answer.headers.get('vendure-auth-token');
      response.writeHead(answer.status, { 'content-type': 'application/json', ...(token !== null && { 'vendure-auth-token': token }) });
      response.end(await answer.text());
    })().catch(() => response.destroy());
  });
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  return front;
}

async function articlesOf(url: string, password: string): Promise<string[]> {
  const ask = async (query: string, token = ''): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token !== '' && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify({ query }),
    });
  const login = await ask(`mutation { login(username: "sync", password: "${password}") { __typename } }`);
  await login.arrayBuffer();
  const token = login.headers.get('vendure-auth-token') ?? '';
  const answer = await ask('{ productVariants { items { sku price stockLevels { stockOnHand } } } }', token);
  const { data } = (await answer.json()) as {
    data: { productVariants: { items: { sku: string; price: number; stockLevels: { stockOnHand: number }[] }[] } };
  };
  return data.productVariants.items.map(({ sku, price, stockLevels }) => `${sku} ${price} ${stockLevels[0]?.stockOnHand}`).toSorted();
}
