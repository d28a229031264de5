import type { IncomingHttpHeaders } from 'node:http';
import { MASK } from '../sources/secret-members.ts';

/** What belongs to the connection and says nothing of the message. */
const LEFT_OUT = new Set(['connection', 'keep-alive', 'transfer-encoding', 'te', 'trailer', 'upgrade', 'expect', 'content-length', 'host']);
const SECRET = /authorization|cookie|signature|hmac|secret|token|password|api-?key/;

/** The headers of a call as they are kept, as JSON: what proves that it is from the sender is not among what others may see. */
export function keptHeaders(headers: IncomingHttpHeaders, secretHeader: string | null): string {
  const hidden = secretHeader?.toLowerCase();
  const kept = Object.entries(headers)
    .filter(([name]) => !LEFT_OUT.has(name))
    .map(([name, value = '']): [string, string] => {
      const text = Array.isArray(value) ? value.join(', ') : value;
      return [name, name === hidden || SECRET.test(name) ? MASK : text];
    });
  // Node reads headers as Latin-1; a NUL cannot be among them.
  return JSON.stringify(Object.fromEntries(kept));
}
