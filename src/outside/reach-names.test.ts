// Names that change their address, have several, or are led elsewhere: what counts is where a connection arrives, for every connector.
import assert from 'node:assert/strict';
import dns from 'node:dns';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { after, before, test } from 'node:test';
import { withDefaults } from '../connectors/config-values.ts';
import type { Session } from '../connectors/session.ts';
import { OutsideError } from './errors.ts';
import { loadConnector } from '../connectors/load.ts';
import { reachOf } from './reach.ts';
import { rootsOf } from './roots.ts';

// Both are this machine; only the first may be reached.
const [ALLOWED, FORBIDDEN] = ['127.0.0.2', '127.0.0.1'];
const NAME = 'changes.test';

const real = dns.lookup;
let answers: string[][] = [];
let port = 0;
let location: string | undefined;
const arrived: Record<string, number> = { [ALLOWED]: 0, [FORBIDDEN]: 0 };
const servers: Server[] = [];

before(async () => {
  // The name server of these tests: each look-up of the name takes the next answer, and the last one stays.
  const lookup = (name: string, options: dns.LookupAllOptions, done: (error: Error | null, found: dns.LookupAddress[]) => void): void => {
    if (name !== NAME) {
      real(name, options, done);
      return;
    }
    const found = ((answers.length > 1 ? answers.shift() : answers[0]) ?? []).map((address) => ({ address, family: 4 }));
    setImmediate(() => done(null, found));
  };
  dns.lookup = lookup as unknown as typeof dns.lookup;
  syncBuiltinESMExports();
  while (!(await haveBothListen()));
});

/** Both at one port. False: it was free at the first address, and another process has it at the second one. */
async function haveBothListen(): Promise<boolean> {
  port = 0;
  for (const address of [ALLOWED, FORBIDDEN]) {
    const server = serverAt(address).listen(port, address);
    servers.push(server);
    const isTaken = await once(server, 'listening').then(
      () => false,
      (error: NodeJS.ErrnoException) => error.code === 'EADDRINUSE',
    );
    if (isTaken) return false;
    port = (server.address() as { port: number }).port;
  }
  return true;
}

function serverAt(address: string): Server {
  const server = createServer((_, response) => {
    arrived[address] = (arrived[address] ?? 0) + 1;
    if (location !== undefined && address === ALLOWED) return void response.writeHead(302, { location }).end();
    return void response.writeHead(200, { 'content-type': 'application/json', connection: 'close' }).end('[{"id":1}]\n');
  });
  // PostgreSQL and MySQL speak no HTTP: that a connection has come is all that is asked.
  server.on('connection', (socket) => {
    arrived[address] = (arrived[address] ?? 0) + 1;
    socket.setTimeout(500, () => socket.destroy());
  });
  return server;
}

after(() => {
  dns.lookup = real;
  syncBuiltinESMExports();
  for (const server of servers) server.close();
});

async function opened(type: string, host: string): Promise<Session> {
  const database = { host, port, database: 'd', user: 'u', password: 'p', connect_timeout: 2 };
  const config = {
    postgres: { ...database, ssl: 'disable' },
    mysql: database,
    files: { url: `http://${host}:${port}/a.jsonl` },
    http: { base_url: `http://${host}:${port}`, streams: [{ name: 's', path: '/s' }] },
  }[type];
  const connector = await loadConnector(type);
  const context = {
    reach: reachOf(`${ALLOWED}/32`),
    roots: rootsOf({ folders: [], dataDir: '/nowhere' }),
    signal: new AbortController().signal,
  };
  return connector.open(withDefaults(connector.manifest.config, config) as never, context);
}

/** The code with which a check fails; `OK` when it does not. */
async function codeOf(session: Session): Promise<string> {
  try {
    await session.check();
    return 'OK';
  } catch (error) {
    assert.ok(error instanceof OutsideError, String(error));
    return error.code;
  }
}

for (const type of ['postgres', 'mysql', 'files', 'http']) {
  const isTried = async (given: string[][], host = NAME): Promise<string> => {
    answers = given;
    arrived[FORBIDDEN] = 0;
    const session = await opened(type, host);
    try {
      return await codeOf(session);
    } finally {
      await session.close();
    }
  };

  test(`${type}: a name that leads out is refused, alone and among others, and nothing arrives there`, async () => {
    for (const given of [[[FORBIDDEN]], [[ALLOWED, FORBIDDEN]], [[FORBIDDEN, ALLOWED]]]) {
      assert.equal(await isTried(given), 'ADDRESS_REFUSED', JSON.stringify(given));
      assert.equal(arrived[FORBIDDEN], 0);
    }
    for (const host of [FORBIDDEN, '2130706433', '0x7f.1', '017700000001', 'localhost', 'localhost.', '[::ffff:127.0.0.1]', '[::1]'].map(
      (one) => (type === 'files' || type === 'http' ? one : one.replace(/^\[|\]$/g, '')),
    )) {
      // Not every machine knows that with a full stop.
      assert.match(await isTried([[ALLOWED]], host), host === 'localhost.' ? /ADDRESS_REFUSED|HOST_UNKNOWN/ : /ADDRESS_REFUSED/, host);
      assert.equal(arrived[FORBIDDEN], 0, host);
    }
  });

  test(`${type}: a name that changes its address between two looks is judged each time`, async () => {
    answers = [[ALLOWED], [FORBIDDEN]];
    arrived[FORBIDDEN] = 0;
    const earlier = arrived[ALLOWED] ?? 0;
    const session = await opened(type, NAME);
    await codeOf(session);
    assert.ok((arrived[ALLOWED] ?? 0) > earlier, 'the first look leads where it may');
    answers = [[FORBIDDEN]];
    assert.equal(await codeOf(session), 'ADDRESS_REFUSED');
    assert.equal(arrived[FORBIDDEN], 0);
    await session.close();
  });
}

for (const type of ['files', 'http']) {
  test(`${type}: a redirect leads nowhere else, be it to an address, a name or back to a name that has changed`, async () => {
    for (const to of [
      `http://${FORBIDDEN}:${port}/`,
      `http://localhost:${port}/`,
      `http://2130706433:${port}/`,
      `http://${NAME}:${port}/x`,
      `//${FORBIDDEN}:${port}/`,
    ]) {
      location = to;
      answers = [[ALLOWED], [FORBIDDEN]];
      arrived[FORBIDDEN] = 0;
      const session = await opened(type, NAME);
      assert.equal(await codeOf(session), 'ADDRESS_REFUSED', to);
      assert.equal(arrived[FORBIDDEN], 0, to);
      await session.close();
    }
    location = undefined;
  });
}

for (const type of ['postgres', 'mysql']) {
  test(`${type}: a socket in the file system is no host`, async () => {
    for (const host of ['/var/run/postgresql', '/tmp/mysql.sock', './a.sock']) {
      const session = await opened(type, host);
      assert.equal(await codeOf(session), 'ADDRESS_REFUSED', host);
      await session.close();
    }
  });
}
