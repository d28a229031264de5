import { createHash, createHmac } from 'node:crypto';

interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

interface Signable {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer | string | undefined;
  /** As it is signed, where that is not how it stands in the URL. */
  readonly path?: string;
}

// Proxies and some storages change these on the way; a signature over them would not fit then.
const UNSIGNED = new Set(['accept-encoding', 'connection', 'user-agent']);

/** A text as AWS wants it in paths and queries: all but letters, digits and `-._~` is escaped. */
export function awsEscaped(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

/**
 * The headers of a request signed by AWS Signature Version 4, as Amazon and everything compatible with it wants them. The path is signed as it stands in the
 * URL: who makes it escapes it by `awsEscaped`.
 */
export function awsSigned(
  { method, url, headers, body, path = url.pathname }: Signable,
  { accessKeyId, secretAccessKey, sessionToken }: AwsKeys,
  scope: { region: string; service: string },
  now: Date,
): Record<string, string> {
  const time = `${now.toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;
  const day = time.slice(0, 8);
  const hash = createHash('sha256')
    .update(body ?? '')
    .digest('hex');
  const all: Record<string, string> = {
    ...headers,
    'x-amz-date': time,
    ...(scope.service === 's3' && { 'x-amz-content-sha256': hash }),
    ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }),
  };
  const signed = Object.entries({ ...all, host: url.host })
    .map(([name, value]): [string, string] => [name.toLowerCase(), value.trim().replace(/ +/g, ' ')])
    .filter(([name]) => !UNSIGNED.has(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const names = signed.map(([name]) => name).join(';');
  const canonical = [method, path, canonicalQuery(url), ...signed.map(([name, value]) => `${name}:${value}`), '', names, hash].join('\n');
  const where = `${day}/${scope.region}/${scope.service}/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', time, where, createHash('sha256').update(canonical).digest('hex')].join('\n');
  const key = [day, scope.region, scope.service, 'aws4_request'].reduce(
    (secret: string | Buffer, part) => createHmac('sha256', secret).update(part).digest(),
    `AWS4${secretAccessKey}`,
  );
  const signature = createHmac('sha256', key).update(text).digest('hex');
  return { ...all, authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${where}, SignedHeaders=${names}, Signature=${signature}` };
}

/** Sorted by the escaped name and value. */
export function canonicalQuery(url: URL): string {
  return [...url.searchParams]
    .map(([name, value]) => [awsEscaped(name), awsEscaped(value)] as const)
    .sort(([a, x], [b, y]) => (a === b ? (x < y ? -1 : 1) : a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}
