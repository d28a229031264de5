import { createHash, createHmac, getHashes } from 'node:crypto';
import { TemplateError } from './failures.ts';
import type { TemplateFilter } from './filter.ts';
import { jsonText } from './json-text.ts';
import { bound, textArgument } from './parameters.ts';
import { replacePattern, searchPattern } from './pattern.ts';
import { Undefined } from './values.ts';
import { spendOnText } from './work.ts';
import { textOf } from './written.ts';

// The filters that Airbyte adds to Jinja's, and JSON.

const ALGORITHMS = new Set([
  'md5',
  'sha1',
  'sha224',
  'sha256',
  'sha384',
  'sha512',
  'sha3_224',
  'sha3_256',
  'sha3_384',
  'sha3_512',
  'blake2b',
  'blake2s',
]);

function hashed(value: unknown, type: unknown, salt: unknown): string {
  const name = type === undefined ? 'md5' : textArgument('hash', type);
  const algorithm = name === 'blake2b' ? 'blake2b512' : name === 'blake2s' ? 'blake2s256' : name.replace('_', '-');
  if (!ALGORITHMS.has(name) || !getHashes().includes(algorithm))
    throw new TemplateError(`There is no hash ${JSON.stringify(name.slice(0, 40))}.`, 'Use md5 or sha256.');
  const text = textOf(value);
  spendOnText(text.length);
  const hash = createHash(algorithm).update(text);
  if (salt !== undefined && salt !== null && salt !== '') hash.update(textOf(salt));
  return hash.digest('hex');
}

function codeText(value: unknown): string {
  if (value instanceof Undefined) value.use();
  if (typeof value !== 'string')
    throw new TemplateError('A template makes Base64 of a value that is no text.', 'Make it a text first: value | string.');
  return value;
}

function decoded(value: unknown): string {
  const text = codeText(value);
  spendOnText(text.length);
  const bytes = Buffer.from(text, 'base64');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new TemplateError('A template decodes a text from Base64 that is none in UTF-8.');
  }
}

function encoded(value: unknown): string {
  const text = codeText(value);
  spendOnText(text.length);
  return Buffer.from(text, 'utf8').toString('base64');
}

export const CODE_FILTERS: Readonly<Record<string, TemplateFilter>> = {
  hash: (value, { args, named }) => {
    const [type, salt] = bound('hash', ['hash_type', 'salt'], args, named);
    return hashed(value, type, salt);
  },
  hmac: (value, { args, named }) => {
    const [key, type] = bound('hmac', ['key', 'hash_type'], args, named);
    if (type !== undefined && type !== 'sha256')
      throw new TemplateError(`HMAC is there with sha256 only, not with ${JSON.stringify(textOf(type).slice(0, 40))}.`);
    return createHmac('sha256', textOf(key)).update(textOf(value)).digest('hex');
  },
  base64encode: encoded,
  base64binascii_decode: encoded,
  base64decode: decoded,
  string: (value) => (typeof value === 'string' ? value : `"""${jsonText(value)}"""`),
  tojson: (value, { args, named }) => {
    const [indent] = bound('tojson', ['indent'], args, named);
    const text = jsonText(value, { indent: typeof indent === 'number' ? indent : undefined, sorted: true });
    // As Jinja does, so that the text may stand in a page.
    return text.replace(/[<>&']/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
  },
  regex_search: (value, { args, named }) => {
    const [pattern] = bound('regex_search', ['regex'], args, named);
    return searchPattern(textArgument('regex_search', pattern), textArgument('regex_search', value))?.[1] ?? '';
  },
  regex_replace: (value, { args, named }) => {
    const [pattern, replacement] = bound('regex_replace', ['regex', 'replacement'], args, named);
    return replacePattern(
      textArgument('regex_replace', pattern),
      textArgument('regex_replace', value),
      textArgument('regex_replace', replacement),
    );
  },
};
