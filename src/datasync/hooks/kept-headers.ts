import type { IncomingHttpHeaders } from 'node:http';
import { MASK } from '../sources/secret-members.ts';

/** What belongs to the connection and says nothing of the message. */
const LEFT_OUT = new Set(['connection', 'keep-alive', 'transfer-encoding', 'te', 'trailer', 'upgrade', 'expect', 'content-length', 'host']);
const SECRET =
  /auth|cookie|signature|hmac|secret|token|passw|passphrase|credential|session|jwt|(api|access|private)[-_]?key|(?<!^idempotency-)key$/;
/** Proxies tell in headers which address was called, and that of a hook has its token in it. Keys of ours have no business here either. */
const OWN_SECRET = /sl[hk]_[0-9a-z]{20}/i;
const SCHEME_OF_SECRET = /^\s*(bearer|basic)\s/i;

/** The headers of a call as they are kept, as JSON: what proves that it is from the sender is not among what others may see. */
export function keptHeaders(headers: IncomingHttpHeaders, secretHeader: string | null): string {
  const hidden = secretHeader?.toLowerCase();
  const kept = Object.entries(headers)
    .filter(([name]) => !LEFT_OUT.has(name))
    .map(([name, value = '']): [string, string] => {
      const text = Array.isArray(value) ? value.join(', ') : value;
      return [name, name === hidden || SECRET.test(name) || isSecret(text) ? MASK : text];
    });
  // Node reads headers as Latin-1; a NUL cannot be among them.
  return JSON.stringify(Object.fromEntries(kept));
}

function isSecret(value: string): boolean {
  return SCHEME_OF_SECRET.test(value) || OWN_SECRET.test(unescaped(value));
}

/** Without percent-encoding, also where a proxy has encoded what was encoded. Whatever is no encoding stays. */
function unescaped(value: string): string {
  let text = value;
  for (let n = 0; n < 3 && text.includes('%'); n++)
    text = text.replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return text;
}
