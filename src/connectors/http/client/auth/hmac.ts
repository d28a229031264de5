import { createHash, createHmac, randomUUID } from 'node:crypto';
import type { HmacAuth, SIGNED_PARTS } from '../../config/signing.ts';
import type { Unsigned } from './ways.ts';

type Parts = Readonly<Record<(typeof SIGNED_PARTS)[number], string>>;

/** Signs a request with a secret that both sides have: adds the headers. */
export function signHmac({ method, url, headers, body }: Unsigned, auth: HmacAuth, now: Date): void {
  const { algorithm, encoding, secret, secret_format } = auth;
  const parts: Parts = {
    method,
    host: url.host,
    path: url.pathname,
    query: url.search.slice(1),
    path_and_query: url.pathname + url.search,
    url: url.href,
    body: body?.toString('utf8') ?? '',
    body_hash: createHash(algorithm)
      .update(body ?? '')
      .digest(encoding),
    timestamp: timeOf(auth.timestamp, now),
    nonce: randomUUID(),
    key_id: auth.key_id ?? '',
  };
  const key = Buffer.from(secret, secret_format === 'text' ? 'utf8' : secret_format);
  const message = filled(auth.message.replaceAll('\\n', '\n'), parts);
  const signature = createHmac(algorithm, key).update(message).digest(encoding);
  for (const { name, value } of auth.headers) headers[name.toLowerCase()] = filled(value, { ...parts, signature });
}

function timeOf(format: HmacAuth['timestamp'], now: Date): string {
  if (format === 'iso') return now.toISOString();
  return String(format === 'millis' ? now.getTime() : Math.floor(now.getTime() / 1000));
}

function filled(template: string, parts: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => parts[name] ?? '');
}
