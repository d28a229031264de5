import type { Oidc, Vouched } from '../oidc.ts';
import { SignInFault } from './fault.ts';
import { challengeOf, isSameText, type Pending } from './pending.ts';

export interface SignInSettings {
  clientId: string;
  clientSecret: string | undefined;
  /** What is asked of the issuer, separated by spaces; `openid` among it. */
  scope: string;
  /** What the button calls the issuer. */
  name: string;
}

/** Where browsers come back to, below the address that people open. */
export const CALLBACK_PATH = '/sign-in/oidc/callback';
const MAX_CODE = 4096;
const MAX_TOKEN = 100_000;
/** Over anything else than TLS, only on this machine: as with the issuer itself. */
const SAFE_ADDRESS = /^(https:\/\/|http:\/\/(127\.0\.0\.1|localhost)[:/])/;

/** The way of a person to the issuer and back: the authorization code flow with PKCE. */
export interface IssuerSignIn {
  /** Where the browser is sent to. */
  addressFor(pending: Pending): Promise<string>;
  /** Whom the issuer vouches for, by what the browser brought back. Throws a SignInFault. */
  conclude(pending: Pending, brought: Readonly<Record<string, unknown>>): Promise<Vouched>;
}

export function issuerSignIn(oidc: Oidc, { clientId, clientSecret, scope }: SignInSettings, publicUrl: string): IssuerSignIn {
  const { issuer } = oidc;
  const redirectUri = publicUrl + CALLBACK_PATH;

  async function endpoint(name: 'authorization_endpoint' | 'token_endpoint'): Promise<URL> {
    const document = await oidc.document().catch(cannotAsk);
    const address = document[name];
    if (document['issuer'] === issuer && typeof address === 'string' && SAFE_ADDRESS.test(address) && URL.canParse(address))
      return new URL(address);
    // It may have been the page of a proxy, or be mended by now.
    oidc.forget();
    if (document['issuer'] !== issuer)
      throw new SignInFault('unavailable', `The configuration at the OIDC issuer is of another one than SYNCLINE_OIDC_ISSUER says.`);
    throw new SignInFault('unavailable', `The OIDC issuer names no ${name} with https.`);
  }

  /** Some issuers take the secret in a header, some in the form; the first is what they must take unless they say otherwise. */
  async function credentials(form: URLSearchParams): Promise<Record<string, string>> {
    form.set('client_id', clientId);
    if (clientSecret === undefined) return {};
    const methods = (await oidc.document())['token_endpoint_auth_methods_supported'];
    if (Array.isArray(methods) && methods.includes('client_secret_post') && !methods.includes('client_secret_basic')) {
      form.set('client_secret', clientSecret);
      return {};
    }
    const pair = [clientId, clientSecret].map(encodeURIComponent).join(':');
    return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
  }

  async function redeem(code: string, verifier: string): Promise<Record<string, unknown>> {
    const form = new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier });
    const place = await endpoint('token_endpoint');
    const headers = await credentials(form);
    const { status, text } = await oidc.ask(place, { follows: false, headers, form }).catch(cannotAsk);
    const answer = objectOf(text);
    if (status === 400 && answer?.['error'] === 'invalid_grant')
      throw new SignInFault('stale', 'The OIDC issuer does not take the code: it was used before, or is too old.');
    if (status !== 200 || !answer)
      throw new SignInFault('unavailable', `The OIDC issuer answered ${status} ${told(answer?.['error'])} to the code of a sign-in.`);
    return answer;
  }

  async function verified(idToken: unknown, nonce: string): Promise<Vouched> {
    const token = textOf(idToken, MAX_TOKEN);
    const known = token === undefined ? undefined : await oidc.verify(token, clientId).catch(cannotAsk);
    if (!known)
      throw new SignInFault('refused', 'The id token of the OIDC issuer is missing or not valid: issuer, audience, time or signature.');
    const { nonce: told, aud, azp } = known.claims;
    if (!isSameText(nonce, told))
      throw new SignInFault('refused', 'The id token of the OIDC issuer is of another sign-in: its nonce is another.');
    if ((Array.isArray(aud) && aud.length > 1) || azp !== undefined) {
      if (azp !== clientId) throw new SignInFault('refused', 'The id token of the OIDC issuer was made for another client.');
    }
    return known;
  }

  return {
    addressFor: async ({ state, nonce, verifier }) => {
      const address = await endpoint('authorization_endpoint');
      const asked = { response_type: 'code', client_id: clientId, redirect_uri: redirectUri, scope, state, nonce };
      for (const [name, value] of Object.entries(asked)) address.searchParams.set(name, value);
      address.searchParams.set('code_challenge', challengeOf(verifier));
      address.searchParams.set('code_challenge_method', 'S256');
      return address.href;
    },
    conclude: async ({ nonce, verifier }, brought) => {
      if (brought['iss'] !== undefined && brought['iss'] !== issuer)
        throw new SignInFault('refused', 'The answer is of another OIDC issuer.');
      if (brought['error'] !== undefined) throw refusalOf(brought['error'], brought['error_description']);
      const code = textOf(brought['code'], MAX_CODE);
      if (code === undefined) throw new SignInFault('refused', 'The OIDC issuer sent the browser back without a code.');
      const { id_token: idToken, access_token: accessToken } = await redeem(code, verifier);
      const person = await verified(idToken, nonce);
      if (person.scopes.size > 0) return person;
      // Issuers that know scopes of ours tell them in the token that is for us, as they do to programs.
      const token = textOf(accessToken, MAX_TOKEN);
      const caller = token === undefined ? undefined : await Promise.resolve(oidc.authenticate(token)).catch(cannotAsk);
      if (caller?.id !== person.id || caller.scopes.size === 0)
        throw new SignInFault('no_access', 'The OIDC issuer gives the person no scope that is known here.');
      return { ...person, scopes: caller.scopes };
    },
  };
}

function cannotAsk(error: unknown): never {
  if (error instanceof SignInFault) throw error;
  const { message } = ((error as Error).cause ?? error) as Error;
  throw new SignInFault('unavailable', `The OIDC issuer cannot be asked: ${message}`, { cause: error });
}

/** What the issuer says in the place of a code, by RFC 6749. */
function refusalOf(error: unknown, description: unknown): SignInFault {
  const words = `The OIDC issuer says ${told(error)} ${told(description)}`;
  if (error === 'access_denied') return new SignInFault('cancelled', words);
  const isDown = error === 'server_error' || error === 'temporarily_unavailable';
  return new SignInFault(isDown ? 'unavailable' : 'refused', words);
}

/** A word of the issuer, or of who pretends to be it, as it may stand in a log. */
function told(word: unknown): string {
  return typeof word === 'string' ? word.replace(/[^\x20-\x7e]/g, '?').slice(0, 200) : '';
}

function textOf(value: unknown, most: number): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= most ? value : undefined;
}

function objectOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
