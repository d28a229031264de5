import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import { SCHEMA_VERSION } from '../../src/db/migrate.ts';
import { newKeyText } from '../../src/lib/secrets.ts';
import { createPlace, type Place } from '../support/databases.ts';
import type { ServiceProcess } from '../../src/cli/prove/service-process.ts';
import { launch, startProcess } from '../support/process.ts';
import { sqliteFile } from '../support/real-syncs.ts';
import { until } from '../support/until.ts';

// Real processes: programs of this version, and of later ones that know more steps of the schema.

type Version = 'today' | 'expand' | 'contract';

const ADMIN_KEY = 'the-key-of-the-operator-in-upgrades';
const SECRET_KEY = newKeyText();
const HOOKS = new URL('../support/next-version/hooks.ts', import.meta.url).href;
const LIMIT = { timeout: 300_000 };

interface Answer {
  status: number;
  // oxlint-disable-next-line no-explicit-any -- the test looks into bodies of every shape
  body: any;
}

async function call({ url }: ServiceProcess, method: string, path: string, body?: unknown, key = ADMIN_KEY): Promise<Answer> {
  const headers = { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) };
  const response = await fetch(`${url}/api/v1${path}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
  return { status: response.status, body: await response.json() };
}

/** A cluster whose nodes may be of several versions. */
async function startUpgrade(t: TestContext) {
  const place = await createPlace('postgres');
  const nodes: ServiceProcess[] = [];
  t.after(async () => {
    await Promise.all(nodes.map((node) => node.kill()));
    await place.remove();
  });
  const settingsOf = (version: Version): Record<string, string> => ({
    SYNCLINE_ADMIN_KEY: ADMIN_KEY,
    SYNCLINE_SECRET_KEY: SECRET_KEY,
    SYNCLINE_FILE_ROOTS: join(place.dataDir, 'files'),
    ...(version !== 'today' && { NODE_OPTIONS: `--import=${HOOKS}?${version}` }),
  });
  return {
    place,
    start: async (version: Version): Promise<ServiceProcess> => {
      const node = await startProcess(place, { environment: settingsOf(version) });
      nodes.push(node);
      return node;
    },
    /** A start that is meant to be refused; answers what was said. */
    refusal: async (version: Version): Promise<string> => {
      const { service, ready } = launch(place, { environment: settingsOf(version) });
      nodes.push(service);
      await assert.rejects(ready);
      assert.equal((await service.ended).code, 1);
      return service.logs();
    },
  };
}

/** A client that sends orders, reads and runs a synchronization through a node, again and again. */
class Customer {
  accepted = 0;
  runs = 0;
  readonly #node: ServiceProcess;
  readonly #enough = new AbortController();
  readonly #busy: Promise<unknown>;

  constructor(node: ServiceProcess, syncId: string) {
    this.#node = node;
    this.#busy = Promise.all([this.#order(), this.#read(syncId), this.#run(syncId)]);
    this.#busy.catch(() => {});
  }

  /** So much more is done; throws when something has gone wrong. */
  async goesOn(): Promise<void> {
    const [accepted, runs] = [this.accepted, this.runs];
    const done = until('work to go on', () => this.accepted > accepted + 20 && this.runs > runs + 1);
    await Promise.race([done, this.#busy]);
  }

  async stop(): Promise<void> {
    this.#enough.abort();
    await this.#busy;
  }

  async #ask(method: string, path: string, body?: unknown): Promise<Answer> {
    const answer = await call(this.#node, method, path, body);
    assert.equal(answer.status, 200, `${method} ${path}: ${JSON.stringify(answer.body)}\n${this.#node.logs()}`);
    return answer;
  }

  async #order(): Promise<void> {
    while (!this.#enough.signal.aborted) {
      const orders = Array.from({ length: 8 }, () =>
        this.#ask('POST', '/orders', { customer_id: 'c', items: [{ product_id: 'p', quantity: 1, price: 1 }] }),
      );
      for (const { body } of await Promise.all(orders)) {
        await this.#ask('POST', `/orders/${body.data.id}/transitions`, { to: 'processing' });
        this.accepted++;
      }
    }
  }

  async #read(syncId: string): Promise<void> {
    while (!this.#enough.signal.aborted) {
      const paths = [
        '/orders?expand=all',
        '/events',
        '/products',
        '/keys',
        '/audit',
        '/nodes',
        '/datasync/sources',
        `/datasync/sync/${syncId}`,
      ];
      await Promise.all(paths.map((path) => this.#ask('GET', path)));
    }
  }

  async #run(syncId: string): Promise<void> {
    while (!this.#enough.signal.aborted) {
      const { body } = await this.#ask('POST', `/datasync/sync/${syncId}/runs`);
      const { status, error } = await until('a run to end', async () => {
        const run = (await this.#ask('GET', `/datasync/runs/${body.data.id}`)).body.data;
        return run.finished_at !== null && run;
      });
      assert.equal(status, 'succeeded', JSON.stringify(error));
      this.runs++;
    }
  }
}

async function addSync(node: ServiceProcess, place: Place, name: string): Promise<string> {
  const add = async (body: object): Promise<string> => (await call(node, 'POST', '/datasync/sources', body)).body.data.id;
  const source_id = await add({ name: `shop of ${name}`, type: 'hub', config: {} });
  const target_id = await add({ name: `file of ${name}`, type: 'sqlite', config: { path: sqliteFile(place, `${name}.db`) } });
  const answer = await call(node, 'POST', '/datasync/sync', {
    name,
    source_id,
    target_id,
    schedule: { type: 'manual' },
    streams: [{ source: 'products', target: name, mode: 'mirror' }],
  });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body.data.id;
}

const complaints = (node: ServiceProcess): string[] =>
  node
    .logs()
    .split('\n')
    .filter((line) => /"level":"error"/.test(line));

test('a node of the next version comes while this one is at work: both go on, and this one can start again', LIMIT, async (t) => {
  const cluster = await startUpgrade(t);
  const old = await cluster.start('today');
  await call(old, 'POST', '/products/sync', { product_id: 'p', name: 'P', price: 1 });
  const syncs = [await addSync(old, cluster.place, 'one'), await addSync(old, cluster.place, 'two')] as const;
  const regular = new Customer(old, syncs[0]);
  await regular.goesOn();

  const next = await cluster.start('expand');
  const newcomer = new Customer(next, syncs[1]);
  await Promise.all([regular.goesOn(), newcomer.goesOn()]);
  const made = await call(next, 'POST', '/keys', { name: 'new', scopes: ['orders:read'] });
  assert.equal((await call(old, 'GET', '/orders', undefined, made.body.data.key)).status, 200);

  const again = await cluster.start('today');
  const { body } = await call(again, 'GET', '/nodes');
  assert.deepEqual(
    body.data.map((node: { schema_version: number }) => node.schema_version),
    [SCHEMA_VERSION, SCHEMA_VERSION + 1, SCHEMA_VERSION],
  );
  await regular.stop();
  await newcomer.stop();
  assert.equal((await call(again, 'GET', '/orders?status=processing')).body.total, regular.accepted + newcomer.accepted);
  for (const node of [old, next, again]) {
    assert.deepEqual(complaints(node), []);
    assert.equal((await node.stop()).code, 0);
  }
});

test('a step of the schema that gets in the way of a session at work is tried again', LIMIT, async (t) => {
  const cluster = await startUpgrade(t);
  await (await cluster.start('today')).stop();
  await withClient(cluster.place, async (client) => {
    // The step takes the orders first and the rejects late; this one the other way round, and it is the step that has to give way.
    await client.query(`set deadlock_timeout = '1min'; begin; lock table rejects in access exclusive mode`);
    const starting = cluster.start('expand');
    await until('the step to wait for the rejects', async () => {
      const { rows } = await client.query(`select 1 from pg_locks where not granted and relation = 'rejects'::regclass`);
      return rows.length > 0;
    });
    await client.query('lock table orders in access exclusive mode; commit');
    assert.equal((await (await starting).stop()).code, 0);
  });
});

test('a version that takes away what nodes still use does not start beside them; afterwards they do not start', LIMIT, async (t) => {
  const cluster = await startUpgrade(t);
  const old = await cluster.start('today');
  const said = await cluster.refusal('contract');
  assert.match(said, /^Syncline did not start\. .*Nodes of older versions are at work .*: \S+ \(\d.*\)\. Nothing was changed\./m);
  assert.equal((await call(old, 'POST', '/products/sync', { product_id: 'p', name: 'P', price: 1 })).status, 200);

  const next = await cluster.start('expand');
  assert.match(await cluster.refusal('contract'), /Nodes of older versions/);
  await old.stop();
  const last = await cluster.start('contract');
  assert.equal((await call(last, 'GET', '/nodes')).body.total, 2);
  assert.match(await cluster.refusal('today'), /newer Syncline \(schema \d+, this program knows \d+\)\. Nothing was changed\./);
  for (const node of [next, last]) assert.equal((await node.stop()).code, 0);
});

test('a node that was asleep while the others went on without it says so and stops', LIMIT, async (t) => {
  const cluster = await startUpgrade(t);
  const old = await cluster.start('today');
  process.kill(old.pid, 'SIGSTOP');
  // As if it had slept for longer than others wait.
  await execute(cluster.place, `update nodes set seen_at = '2026-01-01T00:00:00.000Z'`);
  const last = await cluster.start('contract');
  process.kill(old.pid, 'SIGCONT');
  assert.equal((await old.ended).code, 1);
  assert.match(old.logs(), /"level":"error".*The database is of a newer Syncline .* This node stops/);
  assert.equal((await last.stop()).code, 0);
});

function execute(place: Place, statement: string): Promise<unknown> {
  return withClient(place, (client) => client.query(statement));
}

async function withClient<Result>({ databaseUrl }: Place, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
