import { codeOf, OutsideError, LOST_HINT, networkError } from '../../../outside/errors.ts';

// What goes wrong between us and an API, in words. Addresses are told without their query: it may hold a key.

/** What a failed connection or a broken answer means. */
export function connectionError(error: unknown, url: URL, reused = false): OutsideError {
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  const host = url.hostname;
  if (error instanceof OutsideError) {
    return error.code === 'ADDRESS_REFUSED'
      ? new OutsideError(error.kind, error.code, error.message, {
          field: 'base_url',
          ...(error.hint && { hint: error.hint }),
          cause: error,
        })
      : error;
  }
  const code = codeOf(error) ?? '';
  const known = tlsError(error, code, host) ?? brokenAnswer(error, code, host);
  if (known) return known;
  const network = networkError(error, host, port);
  if (network) {
    const stale = reused && network.code === 'CONNECTION_LOST';
    return new OutsideError(network.kind, stale ? 'CONNECTION_STALE' : network.code, network.message, {
      field: 'base_url',
      ...(network.hint && { hint: network.hint }),
      cause: error,
    });
  }
  return new OutsideError('transient', 'REQUEST_FAILED', `The request to ${host} failed${code && ` (${code})`}.`, { cause: error });
}

/** The API leaves HTTP in the middle of a request. */
export function otherProtocol(host: string): OutsideError {
  return new OutsideError('config', 'NOT_HTTP', `${host} changed to another protocol (101) though nobody asked for it.`, {
    field: 'base_url',
    hint: 'Check the base URL and the path: this one may be made for WebSockets.',
  });
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

function tlsError(error: unknown, code: string, host: string): OutsideError | undefined {
  const refuse = (reason: string, hint: string, field = 'tls.ca'): OutsideError =>
    new OutsideError('config', 'TLS_REFUSED', `The certificate of ${host} ${reason}.`, { field, hint, cause: error });
  if (UNTRUSTED.has(code))
    return refuse(
      'is signed by nobody that Syncline trusts',
      'Give the certificate of its authority in `tls.ca`, or have the server send its whole chain.',
    );
  if (code === 'CERT_HAS_EXPIRED') return refuse('has expired', 'Renew the certificate of the server.', 'base_url');
  if (code === 'CERT_NOT_YET_VALID') return refuse('is not valid yet', 'Check the clocks of both machines.', 'base_url');
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return refuse('is for another name', 'Use the name that stands in the certificate in `base_url`.', 'base_url');
  if (/^(ERR_SSL_|EPROTO)/.test(code))
    return new OutsideError(
      'config',
      'TLS_FAILED',
      `${host} does not speak TLS as it should${/wrong.version|packet.length|http.request/i.test(String(error)) ? '; it may speak plain HTTP on this port' : ` (${code})`}.`,
      {
        field: 'base_url',
        hint: 'Check whether the address begins with http:// or https://, and the port.',
        cause: error,
      },
    );
  return /^CERT_|^ERR_TLS_/.test(code) ? refuse(`was refused (${code})`, 'Check the certificate of the server.', 'base_url') : undefined;
}

function brokenAnswer(error: unknown, code: string, host: string): OutsideError | undefined {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new OutsideError('config', 'NOT_HTTP', `${host} sent headers that are too large.`, { field: 'base_url', cause: error });
  if (code.startsWith('HPE_'))
    return new OutsideError('config', 'NOT_HTTP', `What answers at ${host} does not speak HTTP as it should.`, {
      field: 'base_url',
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
