import { constants, createHmac, createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { OutsideError } from '../../../../outside/errors.ts';
import { evaluate, evaluateMap, evaluateText, holds, type TemplateScope } from '../evaluate.ts';
import { type Part, partOf } from '../parts.ts';
import { pythonText } from '../python-text.ts';

/** A signed token, as the manifest wants it. */
export function jwtOf(part: Part, scope: TemplateScope, now: number): string {
  const seconds = Math.floor(now / 1000);
  const algorithm = pythonText(part['algorithm'] ?? 'HS256');
  const headers = evaluateMap(part['additional_jwt_headers'], scope);
  const wanted = partOf(part['jwt_headers']) ?? { typ: 'JWT' };
  const header: Record<string, unknown> = { typ: 'JWT', ...headers, ...given(wanted, ['kid', 'typ', 'cty'], scope), alg: algorithm };
  const payload: Record<string, unknown> = {
    ...evaluateMap(part['additional_jwt_payload'], scope),
    ...given(partOf(part['jwt_payload']) ?? {}, ['iss', 'sub', 'aud'], scope),
    iat: seconds,
    exp: seconds + (Number(part['token_duration'] ?? 1200) || 0),
    nbf: seconds,
  };
  const text = [header, payload].map((value) => Buffer.from(JSON.stringify(value)).toString('base64url')).join('.');
  try {
    return `${text}.${signature(algorithm, text, keyOf(part, scope)).toString('base64url')}`;
  } catch (error) {
    throw new OutsideError('auth', 'KEY_INVALID', `The key in the settings cannot sign a token by ${algorithm}.`, {
      field: 'settings',
      hint: 'Check that the whole key was given, with its first and last line, and the passphrase if it has one.',
      cause: error,
    });
  }
}

function given(part: Part, names: readonly string[], scope: TemplateScope): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  for (const name of names) if (part[name]) members[name] = evaluate(part[name], scope);
  return members;
}

interface SigningKey {
  text: string;
  passphrase: string;
}

function keyOf(part: Part, scope: TemplateScope): SigningKey {
  const secret = evaluateText(part['secret_key'], scope);
  const isEncoded = part['base64_encode_secret_key'] !== undefined && holds(part['base64_encode_secret_key'], scope);
  return {
    text: isEncoded ? Buffer.from(secret).toString('base64') : secret,
    passphrase: evaluateText(part['passphrase'], scope),
  };
}

function signature(algorithm: string, text: string, { text: secret, passphrase }: SigningKey): Buffer {
  const hash = `sha${algorithm.slice(2, 5)}`;
  if (algorithm.startsWith('HS')) return createHmac(hash, secret).update(text).digest();
  const key: KeyObject = createPrivateKey({ key: secret, ...(passphrase !== '' && { passphrase }) });
  const data = Buffer.from(text);
  if (algorithm === 'EdDSA') return sign(null, data, key);
  if (algorithm.startsWith('ES')) return sign(hash, data, { key, dsaEncoding: 'ieee-p1363' });
  if (algorithm.startsWith('PS'))
    return sign(hash, data, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST });
  return sign(hash, data, key);
}
