import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { JWTPayload } from 'jose';
import { readConfig } from '../../src/config.ts';
import { sql } from '../../src/db/sql.ts';
import { onBothEngines } from '../support/databases.ts';
import { CLIENT } from '../support/issuer-people.ts';
import { type OidcIssuer, startOidcIssuer } from '../support/oidc-issuer.ts';
import { type Reply, type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const PUBLIC = 'http://syncline.test:8080';
const BEGIN = '/sign-in/oidc';
const MINUTE = 60_000;

/** As much of a browser as it takes: keeps cookies, and stops at every redirect. */
class Browser {
  readonly cookies = new Map<string, string>();
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  /** The address that an answer leads to. */
  async go(path: string, headers: Record<string, string> = {}): Promise<{ status: number; to: string; headers: Headers }> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(this.#service.url + path, { redirect: 'manual', headers: { ...(cookie && { cookie }), ...headers } });
    await response.text();
    for (const header of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? [];
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return { status: response.status, to: response.headers.get('location') ?? '', headers: response.headers };
  }

  /** To the issuer, and the path at which it sends the browser back: as Ada, or as one who changes their mind. */
  async toIssuer(returnTo = '/runs', which = 'Go on as Ada'): Promise<string> {
    const begun = await this.go(`${BEGIN}?return_to=${encodeURIComponent(returnTo)}`);
    assert.equal(begun.status, 303);
    const page = await (await fetch(begun.to)).text();
    const [, href = ''] = new RegExp(`href="([^"]+)">${which}`).exec(page) ?? [];
    assert.ok(href.startsWith(`${PUBLIC}${BEGIN}/callback?`), page);
    return href.slice(PUBLIC.length).replaceAll('&amp;', '&');
  }

  /** The way there and back. */
  async signIn(returnTo = '/runs'): Promise<string> {
    return (await this.go(await this.toIssuer(returnTo))).to;
  }

  me(): Promise<Reply> {
    const cookie = `syncline-8080=${this.cookies.get('syncline-8080')}`;
    return this.#service.get('/api/v1/me', { key: null, headers: { cookie, 'sec-fetch-site': 'same-origin' } });
  }
}

onBothEngines('signing in at an OIDC issuer', (engine) => {
  let issuer: OidcIssuer;
  let service: Service;
  let minutes = 0;
  before(async () => {
    issuer = await startOidcIssuer();
    service = await startService(engine, {
      clock: () => Date.now() + minutes * MINUTE,
      environment: {
        SYNCLINE_OIDC_ISSUER: issuer.url,
        SYNCLINE_OIDC_CLIENT_ID: CLIENT.id,
        SYNCLINE_OIDC_CLIENT_SECRET: CLIENT.secret,
        SYNCLINE_OIDC_NAME: 'Staff login',
        SYNCLINE_PUBLIC_URL: PUBLIC,
        SYNCLINE_SESSION_HOURS: '8',
      },
    });
  });
  after(async () => {
    await service.close();
    await issuer.stop();
  });
  beforeEach(() => {
    Object.assign(issuer.people, { claims: {}, accessToken: undefined, answer: undefined, told: {}, hasSecret: true });
  });

  const endsIn = (outcome: string, to: string, path = '/runs'): void =>
    assert.match(to, new RegExp(`^${path.replace('?', '\\?')}#sign-in=${outcome}&request=req_\\w+$`));
  const assertOut = async (browser: Browser): Promise<void> => {
    assert.equal(browser.cookies.has('syncline-8080'), false);
    assert.equal((await browser.me()).status, 401);
  };

  test('the page is told of it without a key', async () => {
    const ways = await service.get('/sign-in/ways', { key: null });
    assert.deepEqual(ways.body, { success: true, data: { oidc: { name: 'Staff login', url: `${PUBLIC}${BEGIN}` } } });
  });

  test('there and back makes a session, for as long as one with a key lasts; sign-out ends it; audit and metrics tell of it', async () => {
    const browser = new Browser(service);
    const back = await browser.toIssuer('/runs?status=failed');
    assert.deepEqual([...browser.cookies.keys()], ['syncline-sign-in-8080']);
    const came = await browser.go(back);
    assert.equal(came.to, '/runs?status=failed#signed-in');
    const [kept = '', gone = ''] = came.headers.getSetCookie();
    assert.match(kept, /^syncline-8080=sls_[0-9a-z]{52}; Path=\/; Max-Age=28800; HttpOnly; SameSite=Strict$/);
    assert.match(gone, /^syncline-sign-in-8080=; .*Max-Age=0/);
    const me = await browser.me();
    assert.deepEqual(me.body.data, { id: `${issuer.url}|ada`, name: `${issuer.url}|ada`, scopes: ['orders:read'], expires_at: null });
    const [entry] = (await service.get('/api/v1/audit?action=session.created')).body.data;
    assert.partialDeepStrictEqual(entry, { actor: `${issuer.url}|ada`, address: '127.0.0.1', details: { way: 'oidc' } });
    const metrics = await service.get('/metrics');
    assert.match(metrics.text, /^syncline_oidc_sign_ins_total\{outcome="done"\} [1-9]/m);
    const cookie = `syncline-8080=${browser.cookies.get('syncline-8080')}`;
    await service.call('DELETE', '/api/v1/sessions/current', { key: null, headers: { cookie, 'sec-fetch-site': 'same-origin' } });
    assert.equal((await browser.me()).status, 401);
  });

  test('it outlasts the id token, and ends when its own time is over', async () => {
    issuer.people.claims = { exp: Math.floor(Date.now() / 1000) + 30 };
    const browser = new Browser(service);
    await browser.signIn();
    minutes = 60;
    assert.equal((await browser.me()).status, 200);
    minutes = 8 * 60;
    await until('the session to be over', async () => (await browser.me()).status === 401);
    minutes = 0;
  });

  test('signing in again ends the session that the browser had, though its cookie does not come back with it', async () => {
    const browser = new Browser(service);
    await browser.signIn();
    const first = browser.cookies.get('syncline-8080') as string;
    const back = await browser.toIssuer();
    // A browser does not send it on the way back from another site.
    browser.cookies.delete('syncline-8080');
    await browser.go(back);
    assert.equal((await browser.me()).status, 200);
    browser.cookies.set('syncline-8080', first);
    await until('the first to be over', async () => (await browser.me()).status === 401);
  });

  test('scopes come from the id token, or from the token that is for us; who has none is not let in', async () => {
    issuer.people.claims = { scope: 'openid profile' };
    const nobody = new Browser(service);
    endsIn('no_access', await nobody.signIn());
    await assertOut(nobody);
    issuer.people.accessToken = () => issuer.token({ sub: 'ada', scope: 'datasync:read' });
    const ada = new Browser(service);
    await ada.signIn();
    assert.deepEqual((await ada.me()).body.data.scopes, ['datasync:read']);
    // Of somebody else, of another audience.
    for (const claims of [{ sub: 'eve' }, { aud: 'other' }]) {
      issuer.people.accessToken = () => issuer.token({ sub: 'ada', scope: 'admin', ...claims });
      endsIn('no_access', await new Browser(service).signIn());
    }
  });

  test('an id token is refused that is not of this issuer, for this client, of this sign-in, or of this time', async () => {
    const seconds = Math.floor(Date.now() / 1000);
    for (const claims of [
      { nonce: 'another' },
      { nonce: undefined },
      { aud: 'syncline' },
      { aud: undefined },
      { aud: [CLIENT.id, 'other'] },
      { azp: 'other' },
      { iss: 'https://elsewhere.example' },
      { exp: seconds - 60 },
      { sub: undefined },
      { sub: '' },
    ]) {
      issuer.people.claims = claims as JWTPayload;
      const browser = new Browser(service);
      endsIn('refused', await browser.signIn());
      await assertOut(browser);
    }
    issuer.people.claims = { aud: [CLIENT.id, 'other'], azp: CLIENT.id };
    assert.match(await new Browser(service).signIn(), /#signed-in$/);
    for (const answer of [
      {},
      { id_token: 7 },
      { id_token: 'a.b.c' },
      { id_token: `${(await issuer.token({ aud: CLIENT.id })).slice(0, -9)}AAAAAAAAA` },
    ]) {
      issuer.people.answer = (response) => void response.end(JSON.stringify(answer));
      endsIn('refused', await new Browser(service).signIn());
    }
  });

  test('a forged state, a callback without a start and one of another browser lead nowhere, and the issuer is not asked', async () => {
    const [ada, eve] = [new Browser(service), new Browser(service)];
    const back = await ada.toIssuer();
    const { asked } = issuer.people;
    endsIn('stale', (await eve.go(back)).to, '/');
    endsIn('stale', (await ada.go(back.replace(/state=[^&]+/, 'state=forged'))).to, '/');
    endsIn('stale', (await ada.go(back.replace(/state=[^&]+&?/, ''))).to, '/');
    endsIn('stale', (await ada.go(`${back}&state=twice`)).to, '/');
    // With a cookie that somebody has made, or changed.
    const sealed = ada.cookies.get('syncline-sign-in-8080') as string;
    for (const forged of ['x', `${sealed.slice(0, -4)}AAAA`, `v1.none.${sealed.split('.')[2]}`]) {
      eve.cookies.set('syncline-sign-in-8080', forged);
      endsIn('stale', (await eve.go(back)).to, '/');
    }
    assert.equal(issuer.people.asked, asked);
    await assertOut(eve);
    // None of it has made an end of Ada's own.
    assert.equal((await ada.go(back)).to, '/runs#signed-in');
  });

  test('a code works once, also for one who has everything that the browser had, and a sign-in for ten minutes', async () => {
    const browser = new Browser(service);
    const back = await browser.toIssuer();
    const pending = browser.cookies.get('syncline-sign-in-8080') as string;
    assert.equal((await browser.go(back)).to, '/runs#signed-in');
    endsIn('stale', (await browser.go(back)).to, '/');
    const thief = new Browser(service);
    thief.cookies.set('syncline-sign-in-8080', pending);
    endsIn('stale', (await thief.go(back)).to);
    await assertOut(thief);
    const late = new Browser(service);
    const lateBack = await late.toIssuer();
    minutes = 11;
    endsIn('stale', (await late.go(lateBack)).to, '/');
    minutes = 0;
  });

  test('one goes on at a path of the page and nowhere else', async () => {
    for (const given of [
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      '/\t/evil.example',
      '/..//evil.example',
      'javascript:alert(1)',
      '/api/v1/keys',
      '/sign-in/oidc',
      '/a b',
      '/x\r\nset-cookie: a=b',
      `/${'x'.repeat(3000)}`,
      '',
    ])
      assert.equal(await new Browser(service).signIn(given), '/#signed-in', JSON.stringify(given));
    assert.equal(await new Browser(service).signIn('/syncs/syn_1?tab=runs&x=%2F'), '/syncs/syn_1?tab=runs&x=%2F#signed-in');
  });

  test('what the issuer says in the place of a code is told in kind; an answer of another issuer is none', async () => {
    const browser = new Browser(service);
    endsIn('cancelled', (await browser.go(await browser.toIssuer('/runs', 'Cancel'))).to);
    const instead = async (more: string): Promise<string> => {
      const back = await browser.toIssuer('/runs', 'Cancel');
      return (await browser.go(back.replace('error=access_denied', more))).to;
    };
    endsIn('unavailable', await instead('error=temporarily_unavailable'));
    endsIn('refused', await instead('error=invalid_scope&error_description=%3Cscript%3E'));
    endsIn('refused', await instead('code=good&iss=https%3A%2F%2Felsewhere.example'));
    endsIn('refused', await instead(''));
    endsIn('refused', await instead('code=a&code=b'));
  });

  test('an issuer that fails, lies or leads elsewhere lets nobody in', async () => {
    const answers: [string, NonNullable<OidcIssuer['people']['answer']>][] = [
      ['unavailable', (response) => void response.writeHead(500).end('oops')],
      ['unavailable', (response) => void response.end('no json')],
      ['unavailable', (response) => void response.writeHead(302, { location: 'http://169.254.169.254/' }).end()],
      ['unavailable', (response) => void response.writeHead(401).end('{"error":"invalid_client"}')],
      ['unavailable', (response) => void response.end(Buffer.alloc(3_000_000, ' '))],
      ['unavailable', (response) => void response.destroy()],
    ];
    for (const [outcome, answer] of answers) {
      issuer.people.answer = answer;
      const browser = new Browser(service);
      endsIn(outcome, await browser.signIn());
      await assertOut(browser);
    }
  });

  test('no token of a sign-in is in a table', async () => {
    const browser = new Browser(service);
    await browser.signIn();
    const rows = JSON.stringify(await service.app.db.read.all(sql`select * from sessions`));
    assert.ok(!rows.includes(browser.cookies.get('syncline-8080') as string));
  });
});

describe('an issuer for people', () => {
  const start = async (issuer: OidcIssuer, environment: Record<string, string> = {}): Promise<Service> =>
    startService('sqlite', {
      environment: {
        SYNCLINE_OIDC_ISSUER: issuer.url,
        SYNCLINE_OIDC_CLIENT_ID: CLIENT.id,
        SYNCLINE_PUBLIC_URL: PUBLIC,
        ...environment,
      },
    });

  test('without a secret, and with one that is taken in the form only', async (t) => {
    const issuer = await startOidcIssuer();
    issuer.people.hasSecret = false;
    const open = await start(issuer);
    assert.match(await new Browser(open).signIn(), /#signed-in$/);
    await open.close();
    Object.assign(issuer.people, { hasSecret: true, told: { token_endpoint_auth_methods_supported: ['client_secret_post'] } });
    const secret = await start(issuer, { SYNCLINE_OIDC_CLIENT_SECRET: CLIENT.secret });
    t.after(async () => {
      await secret.close();
      await issuer.stop();
    });
    assert.match(await new Browser(secret).signIn(), /#signed-in$/);
    assert.equal((await secret.get('/sign-in/ways')).body.data.oidc.name, new URL(issuer.url).host);
  });

  test('one that is down, is another, or names addresses that nobody should go to: the way back says so', async (t) => {
    const issuer = await startOidcIssuer();
    issuer.people.hasSecret = false;
    const service = await start(issuer);
    t.after(async () => {
      await service.close();
      await issuer.stop();
    });
    const browser = new Browser(service);
    for (const told of [
      { issuer: 'https://elsewhere.example' },
      { authorization_endpoint: 'http://elsewhere.example/authorize' },
      { authorization_endpoint: 'javascript:alert(1)' },
      { authorization_endpoint: 7 },
    ]) {
      issuer.people.told = told;
      const { to } = await browser.go(`${BEGIN}?return_to=/runs`);
      assert.match(to, /^\/runs#sign-in=unavailable&request=/, JSON.stringify(told));
    }
    await issuer.stop();
    assert.match((await browser.go(BEGIN)).to, /^\/#sign-in=unavailable/);
    // What it told while it was wrong is not remembered.
    await issuer.start();
    issuer.people.told = {};
    assert.match(await browser.signIn(), /#signed-in$/);
    // Its token endpoint leads to the machine's own secrets.
    issuer.people.told = { token_endpoint: 'https://169.254.169.254/latest/meta-data' };
    const other = await start(issuer);
    assert.match(await new Browser(other).signIn(), /#sign-in=unavailable/);
    await other.close();
  });

  test('where none is set there is no such path, and the settings belong together', async (t) => {
    const service = await startService('sqlite');
    t.after(() => service.close());
    assert.deepEqual((await service.get('/sign-in/ways', { key: null })).body.data, { oidc: null });
    for (const path of [BEGIN, `${BEGIN}/callback`]) assert.equal((await service.get(path, { key: null })).status, 404);
    const issuer = 'https://issuer.example';
    for (const more of [{}, { SYNCLINE_OIDC_ISSUER: issuer }, { SYNCLINE_PUBLIC_URL: PUBLIC }])
      assert.throws(() => readConfig({ SYNCLINE_OIDC_CLIENT_ID: 'x', ...more }), /needs SYNCLINE_OIDC_ISSUER and SYNCLINE_PUBLIC_URL/);
    const whole = { SYNCLINE_OIDC_CLIENT_ID: 'x', SYNCLINE_OIDC_ISSUER: issuer, SYNCLINE_PUBLIC_URL: PUBLIC };
    assert.equal(readConfig(whole).oidcSignIn?.name, 'issuer.example');
    assert.throws(() => readConfig({ ...whole, SYNCLINE_OIDC_SIGN_IN_SCOPE: 'email' }), /openid among them/);
  });

  test('over https the cookies are bound to this host and to TLS, also behind a proxy that does not say so', async (t) => {
    const issuer = await startOidcIssuer();
    issuer.people.hasSecret = false;
    const service = await start(issuer, { SYNCLINE_PUBLIC_URL: 'https://syncline.test' });
    t.after(async () => {
      await service.close();
      await issuer.stop();
    });
    const browser = new Browser(service);
    const begun = await browser.go(BEGIN);
    const page = await (await fetch(begun.to)).text();
    const [, back = ''] = /href="https:\/\/syncline\.test([^"]+)">Go on/.exec(page) ?? [];
    const came = await browser.go(back.replaceAll('&amp;', '&'));
    assert.match(begun.headers.getSetCookie()[0] as string, /^__Host-syncline-sign-in=.*; Path=\/; .*SameSite=Lax; Secure$/);
    assert.match(came.headers.getSetCookie()[0] as string, /^__Host-syncline=sls_.*SameSite=Strict; Secure$/);
  });
});
