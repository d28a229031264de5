import type { PlainRequest } from './client.ts';

/** The same request for a shell. The key stays out of it: it is read from $SYNCLINE_KEY. */
export function curlOf({ method, path, body }: PlainRequest, origin: string): string {
  const words = ['curl'];
  if (method !== 'GET') words.push(`-X ${method}`);
  words.push(quoted(origin + path), '-H "Authorization: Bearer $SYNCLINE_KEY"');
  if (body !== undefined) words.push("-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(body))}`);
  return words.join(' \\\n  ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
