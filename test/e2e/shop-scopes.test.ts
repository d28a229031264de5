import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SCOPES, type Scope } from '../../src/http/scopes.ts';
import type { Route } from '../../src/http/route.ts';
import { type Engine, sql } from '../../src/db/sql.ts';
import { onBothEngines } from '../support/databases.ts';
import { ask } from '../support/real-syncs.ts';
import { type Doomed, REQUESTS, type ScopeRequest } from '../support/scope-requests.ts';
import { CANARY, type Ends, letRunsEnd, makeScopeWorld, type ScopeWorld } from '../support/scope-world.ts';
import { type Service, startService } from '../support/service.ts';
import { isWhole } from '../support/whole.ts';

// Every route with every scope and whatever is at the ends of the synchronization. What is expected is said here and in the table of
// requests, by what the route does with rows: how the service finds that out is its own affair.

/** Routes after which a run may be under way, where they were not refused. */
const STARTS = /^POST .*\/(runs|retry|approve|resume)$/;

const SHARE = 3;

const SHOP_SCOPES = ['orders:read', 'orders:write', 'products:read', 'products:write'] as const;

/** Each scope alone, and those of synchronizations with each of the shop's, with some and with all. */
const SETS: readonly Scope[][] = [
  ...SCOPES.map((scope) => [scope]),
  ...SHOP_SCOPES.map((scope): Scope[] => ['datasync:read', 'datasync:write', scope]),
  ['datasync:read', 'datasync:write', 'orders:read', 'orders:write'],
  ['datasync:read', 'datasync:write', 'products:read', 'products:write'],
  ['datasync:read', 'datasync:write', ...SHOP_SCOPES],
];

/** Who may do what is decided before a database is asked: so one of them has all sets, and the other those that only read, as what is found depends on it. `npm run test:whole` has all on both. */
const SETS_ON: Record<Engine, readonly Scope[][]> = {
  sqlite: SETS,
  postgres: isWhole ? SETS : [['datasync:read'], ['datasync:read', 'orders:read', 'products:read']],
};

function has(scopes: readonly Scope[], scope: Scope): boolean {
  return scopes.includes('admin') || scopes.includes(scope);
}

/** The scopes of the shop that a request needs. */
function shopScopes({ deed }: ScopeRequest, { shop }: Ends): Scope[] {
  if (!shop) return [];
  const moves: Scope[] = deed.includes('moves') ? [`${shop.rows}:${shop.at === 'target' ? 'write' : 'read'}`] : [];
  return deed.includes('shows') ? [...moves, `${shop.rows}:read`] : moves;
}

/**
 * The ends that a route is tried with. What was shown in a preview, or failed, is there to be read; and outside of this folder, no route knows of ends. By turns, one in
 * `SHARE` of them: so every route meets all ends, and every set of scopes meets all routes and all ends. `npm run test:whole` tries all of them with all.
 */
function variedFor({ method, path }: Route, scopes: readonly Scope[], ends: readonly Ends[], turn: number): readonly Ends[] {
  if (!path.startsWith('/api/v1/datasync/')) return ends.slice(0, 1);
  const fitting = method === 'GET' ? ends : ends.filter(({ kind }) => kind === 'plain');
  if (isWhole) return fitting;
  // A key that comes to no synchronization is refused whatever is at its ends.
  if (!has(scopes, 'datasync:read') && !has(scopes, 'datasync:write')) return ends.slice(0, 1);
  // One that reads all is to see what there is to be seen.
  return has(scopes, 'orders:read') && has(scopes, 'products:read') ? fitting : fitting.filter((_, place) => (place + turn) % SHARE === 0);
}

onBothEngines('every route, every scope, the shop at either end or at none', (engine) => {
  let service: Service;
  let world: ScopeWorld;
  let keys: { scopes: Scope[]; key: string }[];
  /** Where a canary was seen by those who may see it, by the name of the route. */
  const seen = new Set<string>();
  before(async () => {
    service = await startService(engine);
    world = await makeScopeWorld(service);
    keys = await Promise.all(SETS_ON[engine].map(async (scopes) => ({ scopes, key: await service.keyWith(...scopes) })));
  });
  after(() => service.close());

  /** Those that were spared, as the caller that came for them was refused; by the name of the route and of the ends. */
  const spared = new Map<string, Doomed>();
  /** A synchronization like this one, and a source and a key, that nobody needs. */
  const doom = async (route: Route, { sourceId, targetId, streams, name }: Ends): Promise<Doomed> => {
    const known = spared.get(`${route.method} ${route.path} ${name}`);
    if (known) return known;
    const doomed = { sync: '', source: '', hook: '', key: '', webhook: '', alert: '' };
    if (/(DELETE|POST) .*\/sync\/\{id\}(\/pause)?$/.test(`${route.method} ${route.path}`)) {
      const body = { name: `doomed ${Math.random()}`, source_id: sourceId, target_id: targetId, streams, schedule: { type: 'manual' } };
      doomed.sync = (await ask(service, 'POST', '/sync', body)).id;
    }
    if (route.method === 'DELETE' && route.path.includes('/sources/'))
      doomed.source = (await ask(service, 'POST', '/sources', { name: `doomed ${Math.random()}`, type: 'hub', config: {} })).id;
    if (route.method === 'DELETE' && route.path.includes('/hooks/'))
      doomed.hook = (await ask(service, 'POST', '/hooks', { name: `doomed ${Math.random()}`, scheme: 'token' })).id;
    if (route.path.includes('/keys/'))
      doomed.key = (await service.post('/api/v1/keys', { name: `doomed ${Math.random()}`, scopes: ['webhooks'] })).body.data.id;
    if (route.path.includes('/alerts/')) {
      const channel = { type: 'slack', url: 'http://127.0.0.1:9/' };
      doomed.alert = (
        await service.post('/api/v1/alerts', { name: `doomed ${Math.random()}`, channel, rules: [{ type: 'endpoint_paused' }] })
      ).body.data.id;
    }
    if (route.path.includes('/webhooks/')) {
      const body = { name: `doomed ${Math.random()}`, url: 'http://127.0.0.1:9/', types: ['webhook.*'] };
      doomed.webhook = (await service.post('/api/v1/webhooks', body)).body.data.id;
    }
    spared.set(`${route.method} ${route.path} ${name}`, doomed);
    return doomed;
  };
  const call = async (
    route: Route,
    { path, body, headers = {}, endless }: ScopeRequest,
    key: string,
  ): Promise<{ status: number; text: string }> => {
    if (!endless) return service.call(route.method, path, { key, headers, ...(body !== undefined && { body }) });
    const leave = new AbortController();
    const response = await fetch(service.url + path, { headers: { ...headers, authorization: `Bearer ${key}` }, signal: leave.signal });
    const { value } = (await response.body?.getReader().read()) ?? {};
    leave.abort();
    return { status: response.status, text: Buffer.from(value ?? []).toString() };
  };
  const reasonOf = (text: string): string => JSON.parse(text).error.details.reason as string;
  /** Those that were asked for want everything from now on, and nobody listens: all the rest of the test would be sent there, again and again. */
  const forgetEndpoints = async (): Promise<void> => {
    const { body } = await service.get('/api/v1/webhooks?limit=1000');
    for (const { id, name } of body.data as { id: string; name: string }[])
      if (!name.startsWith('doomed')) assert.equal((await service.call('DELETE', `/api/v1/webhooks/${id}`)).status, 200);
  };
  /** What the shop has, digit by digit. */
  const shopNow = async (): Promise<string> => {
    await letRunsEnd(service);
    const tables = [sql`select * from orders order by id`, sql`select * from products order by product_id`];
    return JSON.stringify(await Promise.all(tables.map((query) => service.app.db.read.all(query))));
  };

  const done = new Set<string>();
  /** What works at the ends of synchronizations takes long: the first that may has it done. `npm run test:whole` lets all of them. */
  const isDoneOnce = ({ method, path }: Route, told: string): boolean => {
    if (isWhole || method !== 'POST' || !path.startsWith('/api/v1/datasync/')) return false;
    const isDone = done.has(told);
    done.add(told);
    return isDone;
  };

  const check = async (route: Route, ends: Ends, scopes: Scope[], key: string, asked: Set<string>): Promise<void> => {
    const name = `${route.method} ${route.path}`;
    const ofRoute: readonly Scope[] = typeof route.scope === 'string' ? [route.scope] : route.scope;
    for (const request of (REQUESTS[name] as (typeof REQUESTS)[string])(ends, world, await doom(route, ends))) {
      // Where nothing of a synchronization is asked for, it is all the same what is at its ends.
      const told = `${name} ${JSON.stringify(request)}`;
      if (asked.has(told)) continue;
      asked.add(told);
      const missing = shopScopes(request, ends).filter((scope) => !has(scopes, scope));
      const isOfRoute = ofRoute.some((scope) => has(scopes, scope));
      if (isOfRoute && missing.length === 0 && isDoneOnce(route, told)) continue;
      const { status, text } = await call(route, request, key);
      if (status !== 403) spared.delete(`${name} ${ends.name}`);
      if (STARTS.test(name) && status !== 403) await letRunsEnd(service);
      const what = `${name} (${ends.name}) with ${scopes.join(', ')}: ${JSON.stringify(request)} ${status} ${text.slice(0, 500)}`;
      if (!isOfRoute) {
        assert.equal(status, 403, what);
        assert.equal(reasonOf(text), `missing scope ${ofRoute.join(' or ')}`, what);
      } else if (missing.length > 0) {
        assert.equal(status, 403, what);
        assert.equal(reasonOf(text), `missing scope ${missing[0]}`, what);
      } else assert.ok(status !== 401 && status !== 403 && status < 500 && status !== 400 && status !== 404, what);
      for (const rows of ['orders', 'products'] as const) {
        if (!text.includes(CANARY[rows])) continue;
        assert.ok(has(scopes, `${rows}:read`), `rows of ${rows} were shown: ${what}`);
        seen.add(name);
      }
    }
  };

  test('there is a request for every route, and none for another', () => {
    assert.deepEqual(Object.keys(REQUESTS).sort(), service.app.routes.map(({ method, path }) => `${method} ${path}`).sort());
  });

  test('a key that lacks a scope is refused by its name, sees no row and changes none; a key that has it is not', async () => {
    for (const [set, { scopes, key }] of keys.entries()) {
      const before = await shopNow();
      const asked = new Set<string>();
      for (const [place, route] of service.app.routes.entries()) {
        for (const ends of variedFor(route, scopes, world.ends, set + place)) await check(route, ends, scopes, key, asked);
      }
      await forgetEndpoints();
      const mayWrite = has(scopes, 'orders:write') || has(scopes, 'products:write');
      if (!mayWrite) assert.equal(await shopNow(), before, scopes.join(', '));
    }
  });

  test('words that only rows of the shop have are found by those alone who may read them', async () => {
    for (const { scopes, key } of keys) {
      if (!has(scopes, 'datasync:read')) continue;
      for (const { shop, syncId, runId } of world.ends) {
        if (!shop) continue;
        for (const within of [`sync_id=${syncId}`, `run_id=${runId}`, 'level=warn']) {
          const { body } = await service.get(`/api/v1/datasync/logs?${within}&q=canary+of+${shop.rows}`, { key });
          if (!has(scopes, `${shop.rows}:read`)) assert.equal(body.total, 0, `${scopes.join(', ')}: ${JSON.stringify(body.data[0])}`);
          else if (body.total > 0) seen.add('search');
        }
      }
    }
  });

  test('the canaries were where rows are shown: this test would have noticed them', () => {
    const shows = [
      'GET /api/v1/orders',
      'GET /api/v1/products',
      'GET /api/v1/events',
      'GET /api/v1/datasync/logs',
      'GET /api/v1/datasync/sync',
      'GET /api/v1/datasync/sync/{id}',
      'POST /api/v1/datasync/sync/check',
      'GET /api/v1/datasync/sync/{id}/runs',
      'GET /api/v1/datasync/runs',
      'GET /api/v1/datasync/runs/{id}',
      'GET /api/v1/datasync/runs/{id}/events',
      'GET /api/v1/datasync/sync/{id}/rejects',
      'GET /api/v1/datasync/runs/{id}/rejects',
      'GET /api/v1/datasync/sources/{id}/streams/{name}/sample',
      'search',
    ];
    const mayWrite = SETS_ON[engine].some((scopes) => has(scopes, 'datasync:write'));
    assert.deepEqual(
      shows.filter((name) => !seen.has(name) && (mayWrite || !name.startsWith('POST '))),
      [],
    );
  });
});
