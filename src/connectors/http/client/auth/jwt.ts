import { createPrivateKey, type KeyObject, randomUUID, sign } from 'node:crypto';
import { OutsideError } from '../../../../outside/errors.ts';
import type { OAuthJwt } from '../../config/oauth.ts';

/** A token that we sign ourselves (RFC 7519). */
export function signedToken(auth: OAuthJwt, now: Date): string {
  const { algorithm, key_id, issuer, subject, audience, scope, claims, lifetime_seconds: lifetime, token_url } = auth;
  const at = Math.floor(now.getTime() / 1000);
  const head = { alg: algorithm, typ: 'JWT', ...(key_id !== undefined && { kid: key_id }) };
  const aud = audience ?? token_url;
  const payload = {
    iss: issuer,
    ...(subject !== undefined && { sub: subject }),
    ...(aud !== undefined && { aud }),
    ...(scope && { scope }),
    iat: at,
    exp: at + lifetime,
    jti: randomUUID(),
    ...(JSON.parse(claims ?? '{}') as object),
  };
  const text = [head, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const digest = `sha${algorithm.slice(2)}`;
  const key = { key: keyOf(auth), dsaEncoding: 'ieee-p1363' as const };
  return `${text}.${sign(digest, Buffer.from(text), key).toString('base64url')}`;
}

function keyOf({ private_key, algorithm }: OAuthJwt): KeyObject {
  const fault = keyFault(private_key, algorithm);
  if (fault === undefined) return createPrivateKey(private_key);
  throw new OutsideError('config', 'KEY_INVALID', `The private key ${fault}.`, { field: 'auth.private_key' });
}

const CURVES: Readonly<Record<string, string>> = { ES256: 'prime256v1', ES384: 'secp384r1' };

/** What is wrong with a key, as the rest of a sentence. */
export function keyFault(pem: string, algorithm: OAuthJwt['algorithm']): string | undefined {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    return 'must be a private key in PEM without a passphrase, beginning with -----BEGIN PRIVATE KEY-----';
  }
  const curve = CURVES[algorithm];
  if (curve === undefined) return key.asymmetricKeyType === 'rsa' ? undefined : `must be an RSA key for ${algorithm}`;
  return key.asymmetricKeyDetails?.namedCurve === curve ? undefined : `must be a key of the curve ${curve} for ${algorithm}`;
}
