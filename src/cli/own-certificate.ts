import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { Readable } from 'node:stream';

type Fetch = (
  url: string,
  init: { method?: string; headers: Record<string, string>; body?: string; signal?: AbortSignal },
) => Promise<Response>;

/**
 * `fetch` for a service that is found by its own settings. Its certificate is made for the name by which others call it, not for an
 * address of this machine, and perhaps nobody vouches for it: so what counts is that it is the very one in the file.
 */
export function fetchWithOwnCertificate(file: string): Fetch {
  return (url, { method = 'GET', headers, body, signal }) => {
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const fail = (cause: Error): void => reject(cause.name === 'TimeoutError' ? cause : new TypeError('fetch failed', { cause }));
    try {
      const ca = readFileSync(file);
      const { fingerprint256 } = new X509Certificate(ca);
      const outgoing = request(url, {
        method,
        headers,
        ca,
        allowPartialTrustChain: true,
        checkServerIdentity: (_host, peer) =>
          peer.fingerprint256 === fingerprint256 ? undefined : new Error(`it shows another certificate than the one in ${file}`),
        ...(signal && { signal }),
      });
      outgoing.on('error', (error) => fail(signal?.aborted ? (signal.reason as Error) : error));
      outgoing.on('response', (incoming) => {
        const told = new Headers(Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)]));
        resolve(new Response(Readable.toWeb(incoming) as ReadableStream, { status: incoming.statusCode ?? 500, headers: told }));
      });
      outgoing.end(body);
    } catch (error) {
      fail(error as Error);
    }
    return promise;
  };
}
