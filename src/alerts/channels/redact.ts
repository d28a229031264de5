import type { AlertChannel } from '../alert.ts';
import { MASK } from '../secrets.ts';

/** What is shorter is no secret, and may be part of any word. */
const SHORTEST = 6;

/** Our own words without the secrets of a channel. The name of its host stays in them: who may read them has to know what did not answer. */
export function withoutSecrets(channel: AlertChannel, text: string): string {
  return masked(
    text,
    wholes(channel).filter(({ length }) => length >= SHORTEST),
  );
}

/**
 * What the other side has said, without anything that tells the secrets of a channel: many quote the path that was asked for, or a part of it, in
 * one spelling or another. Mask first and cut then: a cut secret is not found.
 */
export function quotable(channel: AlertChannel, text: string): string {
  return masked(text, [...wholes(channel), ...parts(channel)]);
}

function wholes(channel: AlertChannel): string[] {
  if (channel.type === 'email') {
    const url = URL.parse(channel.smtp_url);
    const [user, password] = [decoded(url?.username ?? ''), decoded(url?.password ?? '')];
    const logins = password === '' ? [] : [`\0${user}\0${password}`, password].map((text) => Buffer.from(text).toString('base64'));
    return [channel.smtp_url, url?.password ?? '', password, ...logins];
  }
  const url = URL.parse(channel.url);
  const { pathname = '', search = '' } = url ?? {};
  const secret = channel.type === 'webhook' ? [channel.secret, channel.secret.replace(/^whsec_/, '')] : [];
  return [channel.url, url?.href ?? '', `${pathname}${search}`, pathname, search, search.slice(1), ...secret].flatMap(spellings);
}

function parts(channel: AlertChannel): string[] {
  if (channel.type === 'email') return [];
  const url = URL.parse(channel.url);
  if (!url) return [];
  const pieces = `${url.pathname}${url.search}`.split(/[/?&=;]/).filter(({ length }) => length >= SHORTEST);
  return [url.host, url.hostname, ...pieces.flatMap(spellings)];
}

function spellings(text: string): string[] {
  const plain = decoded(text);
  return [text, plain, encodeURI(plain), encodeURIComponent(plain), text.replaceAll('/', '\\/'), text.replaceAll('&', '&amp;')];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The longest first: a part must not spoil the whole. */
function masked(text: string, secrets: readonly string[]): string {
  const found = [...new Set(secrets)].filter(({ length }) => length > 1).sort((one, other) => other.length - one.length);
  if (found.length === 0) return text;
  return text.replace(new RegExp(found.map((secret) => RegExp.escape(secret)).join('|'), 'gi'), MASK);
}
