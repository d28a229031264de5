import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { JWTPayload } from 'jose';

export const CLIENT = { id: 'syncline-page', secret: 'a secret: with/odd+characters' };

/** What the issuer remembers of a code that it has given out. */
interface Given {
  redirectUri: string;
  challenge: string;
  nonce: string;
}

/** The part of an OIDC issuer that people see: the authorization code flow, which insists on PKCE, on its client and on using a code once. */
export interface IssuerPeople {
  /** Who signs in, and what else the id token says; what is undefined is left out. */
  claims: JWTPayload;
  /** What is handed out beside the id token. */
  accessToken: (() => Promise<string>) | undefined;
  /** In the place of the answer to a code. */
  answer: ((response: ServerResponse) => void) | undefined;
  /** What it tells of itself beside the truth. */
  told: Record<string, unknown>;
  /** How often a code was brought. */
  asked: number;
  /** Whether the client has a secret. */
  hasSecret: boolean;
  document(url: string): object;
  takes(request: IncomingMessage, response: ServerResponse): boolean;
}

export function issuerPeople(sign: (claims: JWTPayload) => Promise<string>): IssuerPeople {
  const codes = new Map<string, Given>();
  const people: IssuerPeople = {
    claims: {},
    accessToken: undefined,
    answer: undefined,
    told: {},
    asked: 0,
    hasSecret: true,
    document: (url) => ({ authorization_endpoint: `${url}/authorize`, token_endpoint: `${url}/token`, ...people.told }),
    takes: (request, response) => {
      const url = new URL(request.url as string, 'http://issuer');
      if (url.pathname === '/authorize') authorize(url, response);
      else if (url.pathname === '/token') void redeem(request, response);
      else return false;
      return true;
    },
  };

  function authorize({ searchParams }: URL, response: ServerResponse): void {
    const asked = Object.fromEntries(searchParams) as Record<string, string>;
    const faults = [
      asked['response_type'] !== 'code',
      asked['client_id'] !== CLIENT.id,
      !asked['scope']?.split(' ').includes('openid'),
      asked['code_challenge_method'] !== 'S256',
      !asked['state'] || !asked['nonce'] || !asked['code_challenge'] || !asked['redirect_uri'],
    ];
    if (faults.includes(true)) return void response.writeHead(400).end(`Not a request that can be answered: ${faults.join()}`);
    const code = randomUUID();
    const { redirect_uri: redirectUri = '', code_challenge: challenge = '', nonce = '', state = '' } = asked;
    codes.set(code, { redirectUri, challenge, nonce });
    const back = (more: Record<string, string>): string =>
      `${redirectUri}?${new URLSearchParams({ state, ...more }).toString()}`.replaceAll('&', '&amp;');
    response.setHeader('content-type', 'text/html');
    response.end(
      `<title>The issuer</title><h1>Who are you?</h1><a href="${back({ code })}">Go on as Ada</a> <a href="${back({ error: 'access_denied' })}">Cancel</a>`,
    );
  }

  async function redeem(request: IncomingMessage, response: ServerResponse): Promise<void> {
    people.asked++;
    const form = new URLSearchParams(await text(request));
    if (people.answer) return people.answer(response);
    const say = (status: number, body: object): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (!isClient(request, form)) return say(401, { error: 'invalid_client' });
    const given = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (given?.challenge !== challenge || given.redirectUri !== form.get('redirect_uri')) return say(400, { error: 'invalid_grant' });
    const id_token = await sign({ aud: CLIENT.id, sub: 'ada', nonce: given.nonce, ...people.claims });
    say(200, { id_token, token_type: 'Bearer', access_token: (await people.accessToken?.()) ?? 'opaque' });
  }

  function isClient({ headers }: IncomingMessage, form: URLSearchParams): boolean {
    if (form.get('client_id') !== CLIENT.id) return false;
    if (!people.hasSecret) return headers.authorization === undefined;
    if (people.told['token_endpoint_auth_methods_supported'] !== undefined) return form.get('client_secret') === CLIENT.secret;
    const pair = `${encodeURIComponent(CLIENT.id)}:${encodeURIComponent(CLIENT.secret)}`;
    return headers.authorization === `Basic ${Buffer.from(pair).toString('base64')}`;
  }
  return people;
}
