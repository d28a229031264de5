import assert from 'node:assert/strict';
import { createHmac, createVerify, generateKeyPairSync } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { OutsideError } from '../../outside/errors.ts';
import { type ApiServer, type Handler, sendJson, startApi } from '../../../test/support/api-server.ts';
import { declared, openStreams, readManifestStream, TestClock } from '../../../test/support/airbyte-manifest.ts';

let api: ApiServer;
let handle: Handler = () => {};

before(async () => {
  api = await startApi((request, response) => handle(request, response));
});
after(() => api.close());

const settings = { token: 'secret-token', user: 'ann', password: 'pass word', credentials: { type: 'key', refresh_token: 'refresh-1' } };
const spec = {
  type: 'Spec',
  connection_specification: {
    type: 'object',
    properties: {
      token: { type: 'string', airbyte_secret: true },
      credentials: { type: 'object', properties: { refresh_token: { type: 'string', airbyte_secret: true } } },
    },
  },
};

/** Reads with an authenticator; answers what came with the last request for records. */
async function sent(
  authenticator: object,
  answer?: Handler,
  clock?: TestClock,
): Promise<{ authorization: string | undefined; url: string; count: number }> {
  handle = answer ?? ((_, response) => sendJson(response, { data: [{ id: 1 }] }));
  api.received.length = 0;
  const manifest = openStreams([declared(api.url, { requester: { authenticator } })], {
    settings,
    more: { spec },
    ...(clock && { clock }),
  });
  await readManifestStream(manifest, 'things').finally(() => manifest.close());
  const last = api.received.at(-1);
  return { authorization: last?.headers['authorization'], url: `${last?.url.pathname}${last?.url.search}`, count: api.received.length };
}

test('keys in a header or a parameter, bearer, basic, none', async () => {
  const key = { type: 'ApiKeyAuthenticator', api_token: 'Key {{ config.token }}' };
  assert.equal((await sent({ ...key, header: 'Authorization' })).authorization, 'Key secret-token');
  assert.equal(
    (await sent({ ...key, inject_into: { type: 'RequestOption', inject_into: 'request_parameter', field_name: 'key' } })).url,
    '/things?key=Key+secret-token',
  );
  assert.equal((await sent({ type: 'BearerAuthenticator', api_token: '{{ config.token }}' })).authorization, 'Bearer secret-token');
  assert.equal(
    (await sent({ type: 'BasicHttpAuthenticator', username: '{{ config.user }}', password: '{{ config.password }}' })).authorization,
    `Basic ${Buffer.from('ann:pass word').toString('base64')}`,
  );
  assert.equal((await sent({ type: 'NoAuth' })).authorization, undefined);
  const selective = {
    type: 'SelectiveAuthenticator',
    authenticator_selection_path: ['credentials', 'type'],
    authenticators: { key: { type: 'BearerAuthenticator', api_token: 'k' }, other: { type: 'NoAuth' } },
  };
  assert.equal((await sent(selective)).authorization, 'Bearer k');
  await assert.rejects(
    sent({ ...selective, authenticator_selection_path: ['no', 'such'] }),
    (error: OutsideError) => error.kind === 'config' && /no\.such/.test(error.message),
  );
});

test('OAuth: a token is fetched once, kept until it ends, and renewed when the API refuses it', async () => {
  const clock = new TestClock('2024-01-01T00:00:00Z');
  let tokens = 0;
  let refused = 0;
  const answer: Handler = ({ url, headers }, response) => {
    if (url.pathname === '/token') return sendJson(response, { data: { access_token: `token-${++tokens}`, expires_in: 60 } });
    if (headers['authorization'] === 'Bearer token-1' && refused++ === 0) return sendJson(response, { message: 'expired' }, 401);
    return sendJson(response, { data: [{ id: 1 }] });
  };
  const authenticator = {
    type: 'OAuthAuthenticator',
    token_refresh_endpoint: `${api.url}/token`,
    client_id: '{{ config.user }}',
    client_secret: '{{ config.password }}',
    refresh_token: '{{ config.credentials.refresh_token }}',
    refresh_request_body: { audience: 'x', grant_type: 'ignored' },
  };
  const renewing = {
    type: 'DefaultErrorHandler',
    response_filters: [{ type: 'HttpResponseFilter', http_codes: [401], action: 'REFRESH_TOKEN_THEN_RETRY' }],
  };
  handle = answer;
  api.received.length = 0;
  const manifest = openStreams([declared(api.url, { requester: { authenticator, error_handler: renewing } })], { settings, clock });
  await readManifestStream(manifest, 'things');
  assert.equal(api.received[0]?.body, 'grant_type=refresh_token&client_id=ann&client_secret=pass+word&refresh_token=refresh-1&audience=x');
  assert.deepEqual(
    api.received.map(({ url, headers }) => headers['authorization'] ?? url.pathname),
    ['/token', 'Bearer token-1', '/token', 'Bearer token-2'],
  );
  await readManifestStream(manifest, 'things');
  assert.equal(tokens, 2, 'it is kept');
  clock.time += 61_000;
  await readManifestStream(manifest, 'things');
  assert.equal(tokens, 3, 'it has ended');
  manifest.close();
});

test('OAuth: a refusal is told as such, without secrets; a token that is used once is followed by the next', async () => {
  const authenticator = {
    type: 'OAuthAuthenticator',
    token_refresh_endpoint: `${api.url}/token`,
    client_id: 'c',
    client_secret: 'd',
    refresh_token_updater: { refresh_token_config_path: ['credentials', 'refresh_token'] },
  };
  const refusing: Handler = (_, response) => sendJson(response, { error: 'invalid_grant', error_description: 'refresh-1 was used' }, 400);
  await assert.rejects(
    sent(authenticator, refusing),
    (error: OutsideError) => error.kind === 'auth' && error.code === 'TOKEN_REFUSED' && !error.message.includes('refresh-1'),
  );
  await assert.rejects(
    sent(authenticator, (_, response) => sendJson(response, {})),
    (error: OutsideError) => error.code === 'TOKEN_MISSING',
  );
  const clock = new TestClock('2024-01-01T00:00:00Z');
  let tokens = 1;
  const bodies: string[] = [];
  const answer: Handler = ({ url, body }, response) => {
    if (url.pathname !== '/token') return sendJson(response, { data: [{ id: 1 }] });
    bodies.push(new URLSearchParams(body).get('refresh_token') ?? '');
    clock.time += 1;
    return sendJson(response, { access_token: 'a', refresh_token: `refresh-${++tokens}`, expires_in: 0 });
  };
  handle = answer;
  const manifest = openStreams([declared(api.url, { requester: { authenticator } })], { settings, clock });
  await readManifestStream(manifest, 'things');
  clock.time += 1000;
  await readManifestStream(manifest, 'things');
  manifest.close();
  assert.deepEqual(bodies.slice(0, 2), ['refresh-1', 'refresh-2']);
});

test('logging in: the token of the answer goes into the other requests', async () => {
  const login: Handler = ({ url, body }, response) =>
    url.pathname === '/login'
      ? sendJson(response, { session: { id: `for ${(JSON.parse(body) as { user: string }).user}` } })
      : sendJson(response, { data: [{ id: 1 }] });
  const authenticator = (request_authentication: object): object => ({
    type: 'SessionTokenAuthenticator',
    expiration_duration: 'PT1H',
    session_token_path: ['session', 'id'],
    login_requester: {
      type: 'HttpRequester',
      url_base: api.url,
      path: 'login',
      http_method: 'POST',
      request_body_json: { user: '{{ config.user }}' },
    },
    request_authentication,
  });
  assert.equal((await sent(authenticator({ type: 'Bearer' }), login)).authorization, 'Bearer for ann');
  const inject_into = { type: 'RequestOption', inject_into: 'header', field_name: 'Authorization' };
  assert.equal(
    (await sent(authenticator({ type: 'ApiKey', inject_into, api_token: 'S {{ session_token }}' }), login)).authorization,
    'S for ann',
  );
  await assert.rejects(
    sent(authenticator({ type: 'Bearer' }), (_, response) => sendJson(response, {})),
    (error: OutsideError) => error.kind === 'auth' && error.code === 'TOKEN_MISSING',
  );
  const legacy = {
    type: 'LegacySessionTokenAuthenticator',
    header: 'Authorization',
    login_url: '/login',
    validate_session_url: '/me',
    username: '{{ config.user }}',
    password: '{{ config.password }}',
    session_token_response_key: 'id',
  };
  assert.equal(
    (
      await sent(legacy, ({ url }, response) =>
        url.pathname === '/login' ? sendJson(response, { id: 'old' }) : sendJson(response, { data: [{ id: 1 }] }),
      )
    ).authorization,
    'old',
  );
});

test('signed tokens', async () => {
  const clock = new TestClock('2024-01-01T00:00:00Z');
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const read = (authorization: string | undefined): { head: object; payload: object; signed: string; signature: string } => {
    const [head = '', payload = '', signature = ''] = (authorization ?? '').replace('JWT ', '').split('.');
    const json = (text: string): object => JSON.parse(Buffer.from(text, 'base64url').toString()) as object;
    return { head: json(head), payload: json(payload), signed: `${head}.${payload}`, signature };
  };
  const part = {
    type: 'JwtAuthenticator',
    header_prefix: 'JWT',
    token_duration: 60,
    jwt_headers: { kid: 'k1' },
    jwt_payload: { iss: '{{ config.user }}' },
    additional_jwt_payload: { scope: 'all' },
  };
  const hs = read((await sent({ ...part, algorithm: 'HS256', secret_key: '{{ config.token }}' }, undefined, clock)).authorization);
  assert.deepEqual(hs.head, { typ: 'JWT', kid: 'k1', alg: 'HS256' });
  assert.deepEqual(hs.payload, { scope: 'all', iss: 'ann', iat: 1_704_067_200, exp: 1_704_067_260, nbf: 1_704_067_200 });
  assert.equal(hs.signature, createHmac('sha256', 'secret-token').update(hs.signed).digest('base64url'));
  const rs = read((await sent({ ...part, algorithm: 'RS256', secret_key: privateKey }, undefined, clock)).authorization);
  assert.ok(createVerify('sha256').update(rs.signed).verify(publicKey, rs.signature, 'base64url'));
  await assert.rejects(
    sent({ ...part, algorithm: 'RS256', secret_key: 'no key' }),
    (error: OutsideError) => error.kind === 'auth' && error.code === 'KEY_INVALID',
  );
});

test('credentials stay with the host they are for', async () => {
  const other = await startApi((_, response) => sendJson(response, { data: [{ id: 2 }] }));
  const elsewhere: Handler = (_, response) => void response.writeHead(302, { location: `${other.url}/things` }).end();
  await sent({ type: 'BearerAuthenticator', api_token: '{{ config.token }}' }, elsewhere);
  assert.deepEqual(
    other.received.map(({ headers }) => headers['authorization']),
    [undefined],
  );
  await other.close();
});
