import { codeOf, LOST_HINT, networkError, OutsideError } from '../errors.ts';
import type { Explain } from './problem.ts';

// What goes wrong between us and another side, in words. Addresses are told without their query: it may hold a key.

/** How a caller names what it asks, and the settings that can help. */
export interface Names {
  /** The other side, at the beginning of a sentence. */
  who: string;
  /** The setting that holds the address, and what to look at when the address is wrong. */
  address: string;
  addressInWords: string;
  /** The setting that takes the certificate of an authority. */
  authority: string;
  /** What to do when it is slow, and when it sends too much. */
  slowHint: string;
  large: { field: string; hint: string };
}

/** The usual words. */
export function explainWith(names: Names): Explain {
  const tooSlow = (what: string): OutsideError =>
    new OutsideError('transient', 'TIMEOUT', `${names.who} ${what}.`, { hint: names.slowHint });
  return (problem, url) => {
    switch (problem.what) {
      case 'failed':
        return connectionError(problem.error, url, problem.isReused, names);
      case 'broken':
        return connectionError(problem.error, url, false, names);
      case 'mute':
        return tooSlow(`did not answer within ${problem.milliseconds / 1000} s`);
      case 'silent':
        return tooSlow('went silent in the middle of an answer');
      case 'dripping':
        return tooSlow('sends its answer drop by drop');
      case 'endless':
        return tooSlow(`needs more than ${problem.milliseconds / 1000} s for one answer`);
      case 'large':
        return new OutsideError(
          'config',
          'RESPONSE_TOO_LARGE',
          `${names.who} sent an answer of more than ${megabytes(problem.bytes)} MB.`,
          names.large,
        );
      case 'packed':
        return new OutsideError('config', 'ENCODING_UNKNOWN', `${url.host} packed its answer in a way that Syncline does not know.`, {
          hint: 'It was asked for gzip, br, zstd or nothing at all.',
        });
      // It leaves HTTP.
      default:
        return new OutsideError(
          'config',
          'NOT_HTTP',
          `${url.hostname.replace(/^\[|\]$/g, '')} changed to another protocol (101) without being asked.`,
          {
            field: names.address,
            hint: `Check ${names.addressInWords}: this one may be made for WebSockets.`,
          },
        );
    }
  };
}

export function megabytes(bytes: number): string {
  return String(Math.round((bytes / 1_000_000) * 1000) / 1000);
}

/** What a failed connection or a broken answer means. */
function connectionError(error: unknown, url: URL, isReused: boolean, names: Names): OutsideError {
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  const host = url.hostname;
  const code = codeOf(error) ?? '';
  const known = tlsError(error, code, host, names) ?? brokenAnswer(error, code, host, names);
  if (known) return known;
  // An address that is out of reach is among these.
  const network = networkError(error, host, port);
  if (network) {
    const isStale = isReused && network.code === 'CONNECTION_LOST';
    return new OutsideError(network.kind, isStale ? 'CONNECTION_STALE' : network.code, network.message, {
      field: names.address,
      ...(network.hint && { hint: network.hint }),
      cause: error,
    });
  }
  return new OutsideError('transient', 'REQUEST_FAILED', `The request to ${host} failed${code && ` (${code})`}.`, { cause: error });
}

const UNTRUSTED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_UNTRUSTED',
  'INVALID_CA',
]);

function tlsError(error: unknown, code: string, host: string, { address, authority }: Names): OutsideError | undefined {
  const refuse = (reason: string, hint: string, field = address): OutsideError =>
    new OutsideError('config', 'TLS_REFUSED', `The certificate of ${host} ${reason}.`, { field, hint, cause: error });
  if (UNTRUSTED.has(code))
    return refuse(
      'is not signed by an authority that Syncline trusts',
      `Give the certificate of its authority in \`${authority}\`, or have the server send its whole chain.`,
      authority,
    );
  if (code === 'CERT_HAS_EXPIRED') return refuse('has expired', 'Renew the certificate of the server.');
  if (code === 'CERT_NOT_YET_VALID') return refuse('is not valid yet', 'Check the clocks of both machines.');
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return refuse('is for another name', `Use the name that stands in the certificate in \`${address}\`.`);
  if (/^(ERR_SSL_|EPROTO)/.test(code))
    return new OutsideError(
      'config',
      'TLS_FAILED',
      `${host} does not speak TLS as it should${/wrong.version|packet.length|http.request/i.test(String(error)) ? '; it may speak plain HTTP on this port' : ` (${code})`}.`,
      {
        field: address,
        hint: 'Check whether the address begins with http:// or https://, and the port.',
        cause: error,
      },
    );
  return /^CERT_|^ERR_TLS_/.test(code) ? refuse(`was refused (${code})`, 'Check the certificate of the server.') : undefined;
}

function brokenAnswer(error: unknown, code: string, host: string, { address }: Names): OutsideError | undefined {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new OutsideError('config', 'NOT_HTTP', `${host} sent headers that are too large.`, { field: address, cause: error });
  if (code.startsWith('HPE_'))
    return new OutsideError('config', 'NOT_HTTP', `What answers at ${host} does not speak HTTP as it should.`, {
      field: address,
      hint: 'Check the port, and whether the address begins with http:// or https://.',
      cause: error,
    });
  if (/^(Z_|ERR_BROTLI|ERR__ERROR_FORMAT|ERR_ZSTD|ZSTD_|ERR_PADDING)/.test(code))
    return new OutsideError('transient', 'ANSWER_BROKEN', `${host} sent an answer that cannot be unpacked.`, { cause: error });
  if (code === 'ERR_STREAM_PREMATURE_CLOSE')
    return new OutsideError('transient', 'CONNECTION_LOST', `${host} broke off in the middle of an answer.`, {
      hint: LOST_HINT,
      cause: error,
    });
  return undefined;
}
