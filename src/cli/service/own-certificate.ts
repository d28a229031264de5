import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { Readable } from 'node:stream';
import { CliError } from '../errors.ts';
import { isNotTrusted } from './unreachable.ts';

type Fetch = (
  url: string,
  init: { method?: string; headers: Record<string, string>; body?: string; signal?: AbortSignal },
) => Promise<Response>;

/**
 * `fetch` for a service that is found by its own settings. Its certificate is made for the name by which others call it, not for an
 * address of this machine, and perhaps nobody vouches for it: so what counts is that it is the very one in the file.
 */
export function fetchWithOwnCertificate(file: string): Fetch {
  const another = (): Error => new Error(`it shows another certificate than the one in ${file}`);
  return async (url, { method = 'GET', headers, body, signal }) => {
    const { ca, fingerprint256 } = readCertificate(file);
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const fail = (error: Error): void => {
      const cause = isNotTrusted(error) ? another() : error;
      reject(cause.name === 'TimeoutError' ? cause : new TypeError('fetch failed', { cause }));
    };
    try {
      const outgoing = request(url, {
        method,
        headers,
        ca,
        allowPartialTrustChain: true,
        checkServerIdentity: (_host, peer) => (peer.fingerprint256 === fingerprint256 ? undefined : another()),
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

function readCertificate(file: string): { ca: Buffer; fingerprint256: string } {
  let ca: Buffer | undefined;
  try {
    ca = readFileSync(file);
    return { ca, fingerprint256: new X509Certificate(ca).fingerprint256 };
  } catch {
    const why =
      ca === undefined ? 'cannot be read by this user, or is not there' : 'holds no certificate in PEM ("-----BEGIN CERTIFICATE-----")';
    throw new CliError(
      `SYNCLINE_TLS_CERT: ${file} ${why}, so the service cannot be known by it.\n` +
        'Put it right. If the service runs, it goes on with the one before, and its log says why.',
    );
  }
}
