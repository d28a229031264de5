import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Ended, settingsOf, syncline } from '../../test/support/command-line.ts';
import { onEitherEngine } from '../../test/support/databases.ts';
import { type Service, startService } from '../../test/support/service.ts';

const KEY = /^slk_[0-9a-z]{26}_[0-9a-z]{39}\n$/;

onEitherEngine('syncline keys', (engine) => {
  let service: Service;
  let settings: Record<string, string>;

  before(async () => {
    service = await startService(engine);
    settings = { ...settingsOf(service.place), SYNCLINE_URL: service.url };
  });
  after(() => service.close());

  const keys = (...args: string[]): Promise<Ended> => syncline(['keys', ...args], settings);

  async function created(name: string, ...more: string[]): Promise<{ id: string; key: string; stderr: string }> {
    const { code, stdout, stderr } = await keys('create', '--name', name, ...more);
    assert.equal(code, 0, stderr);
    assert.match(stdout, KEY, 'the key alone, so that KEY=$(syncline keys create …) works');
    return { id: /key_[0-9a-z]{26}/.exec(stderr)?.[0] ?? '', key: stdout.trim(), stderr };
  }

  async function statusWith(key: string, path = '/api/v1/orders'): Promise<number> {
    return (await service.get(path, { key })).status;
  }

  test('create prints a key that may do what it was made for', async () => {
    const expires = '2099-01-31T00:00:00.000Z';
    const { id, key, stderr } = await created(
      'web shop',
      '--scopes',
      'orders:read, orders:write',
      '--expires-at',
      expires,
      '--rate-limit',
      '7',
    );
    assert.equal(stderr, `Made the key "web shop" (${id}) with orders:read, orders:write, until ${expires}. It is shown this once.\n`);
    assert.equal(await statusWith(key), 200);
    assert.equal(await statusWith(key, '/api/v1/products'), 403);
    const { body } = await service.get(`/api/v1/keys/${id}`);
    assert.deepEqual([body.data.expires_at, body.data.rate_limit], [expires, 7]);
  });

  test('list shows every key, as a table and as JSON', async () => {
    await created('till', '--scopes', 'orders:read');
    const [shown, json] = await Promise.all([keys('list'), keys('list', '--json')]);
    const { data } = (await service.get('/api/v1/keys?limit=1000')).body;
    const listed = JSON.parse(json.stdout) as { id: string; name: string; last_used_at: string | null }[];
    const timeless = (rows: typeof listed) => rows.map((row) => ({ ...row, last_used_at: null }));
    assert.deepEqual(timeless(listed), timeless(data));
    const [headings = '', ...lines] = shown.stdout.trimEnd().split('\n');
    assert.equal(lines.length, data.length);
    lines.forEach((line, index) => {
      assert.equal(line.indexOf(listed[index]?.name ?? '?'), headings.indexOf('NAME'), line);
      assert.equal(line.indexOf('active'), headings.indexOf('STATUS'), line);
      assert.ok(line.startsWith(listed[index]?.id ?? '?'));
    });
  });

  test('rotate gives a new secret and keeps the old one for the overlap', async () => {
    const { id, key } = await created('erp', '--scopes', 'orders:read');
    const second = await keys('rotate', id);
    assert.match(second.stdout, KEY);
    assert.match(second.stderr, /The previous secret works for 24 hours more\.\n$/);
    assert.deepEqual([await statusWith(key), await statusWith(second.stdout.trim())], [200, 200]);
    const third = await keys('rotate', id, '--overlap-seconds', '0', '--json');
    const data = JSON.parse(third.stdout) as { id: string; key: string };
    assert.equal(data.id, id);
    assert.match(third.stderr, /The previous secret no longer works\.\n$/);
    assert.deepEqual([await statusWith(key), await statusWith(second.stdout.trim()), await statusWith(data.key)], [401, 401, 200]);
  });

  test('revoke ends a key', async () => {
    const { id, key } = await created('old till', '--scopes', 'orders:read');
    assert.deepEqual(await keys('revoke', id), { code: 0, stdout: `Revoked "old till" (${id}).\n`, stderr: '' });
    assert.equal(await statusWith(key), 401);
  });

  test('a change of the key in use tells where it is kept', async () => {
    const own = await created('second admin', '--scopes', 'admin');
    const withOwn = { ...settings, SYNCLINE_KEY: own.key };
    const rotated = await syncline(['keys', 'rotate', own.id], withOwn);
    assert.match(rotated.stderr, /It is the key in SYNCLINE_KEY, which still holds the previous secret/);
    const revoked = await syncline(['keys', 'revoke', own.id], withOwn);
    assert.match(revoked.stderr, /It was the key in SYNCLINE_KEY/);
  });

  test('what the service refuses is exit code 1, with its words and nothing on standard output', async () => {
    const { code, stdout, stderr } = await keys('create', '--name', 'x', '--scopes', 'order:read');
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^Invalid request: scopes\[0\] must be one of .*orders:read.*\.\n$/);
  });
});
