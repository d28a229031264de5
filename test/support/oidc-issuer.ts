import { once } from 'node:events';
import { createServer } from 'node:http';
import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { type IssuerPeople, issuerPeople } from './issuer-people.ts';

interface SigningKey {
  kid: string;
  alg: string;
  privateKey: CryptoKey;
  /** The public half, as text and as it is published. */
  pem: string;
  jwk: JWK;
}

/** A real OIDC issuer on this machine, which can lose its voice and change its keys. */
export interface OidcIssuer {
  url: string;
  /** The key it signs with at present. */
  key(): SigningKey;
  /** A token that is valid, but for what is changed. */
  token(claims?: JWTPayload, header?: { kid?: string; alg?: string }, signer?: CryptoKey | Uint8Array): Promise<string>;
  /** Signs with, and publishes, a new key only. */
  rotate(alg?: string): Promise<SigningKey>;
  /** What it answers when asked for its keys; undefined for the keys. */
  answerKeysWith(answer: { status: number; body: string } | undefined): void;
  /** How often it was asked for its keys. */
  asked(): number;
  /** How it lets people sign in. */
  people: IssuerPeople;
  /** It stops to listen, and listens again on the same port. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

export async function startOidcIssuer(): Promise<OidcIssuer> {
  let key = await newKey('ES256');
  let keysAnswer: { status: number; body: string } | undefined;
  let asked = 0;
  let url = '';
  const server = createServer((request, response) => {
    response.setHeader('connection', 'close');
    if (request.url === '/.well-known/openid-configuration') {
      response.end(JSON.stringify({ issuer: url, jwks_uri: `${url}/keys`, ...people.document(url) }));
      return;
    }
    if (people.takes(request, response)) return;
    asked++;
    response.statusCode = keysAnswer?.status ?? 200;
    response.end(keysAnswer?.body ?? JSON.stringify({ keys: [key.jwk] }));
  });
  const listen = async (port: number): Promise<number> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' && address ? address.port : 0;
  };
  const token: OidcIssuer['token'] = (claims = {}, header = {}, signer = key.privateKey) => {
    const seconds = Math.floor(Date.now() / 1000);
    const payload = { iss: url, aud: 'syncline', sub: 'somebody', scope: 'orders:read', iat: seconds, exp: seconds + 300, ...claims };
    return new SignJWT(payload).setProtectedHeader({ alg: key.alg, kid: key.kid, ...header }).sign(signer);
  };
  const people = issuerPeople(token);
  const port = await listen(0);
  url = `http://127.0.0.1:${port}`;
  return {
    url,
    people,
    key: () => key,
    token,
    rotate: async (alg = 'ES256') => {
      key = await newKey(alg);
      return key;
    },
    answerKeysWith: (answer) => {
      keysAnswer = answer;
    },
    asked: () => asked,
    stop: async () => {
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
    start: async () => {
      await listen(port);
    },
  };
}

let keys = 0;

async function newKey(alg: string): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const kid = `key-${++keys}`;
  return { kid, alg, privateKey, pem: await exportSPKI(publicKey), jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}
