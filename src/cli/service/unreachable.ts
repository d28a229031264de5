import { CliError } from '../errors.ts';

/** What Node calls a certificate that it does not believe. */
const NOT_TRUSTED = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** A request that got no answer: why, and what to do next. */
export function unreachable(url: string, error: Error): CliError {
  const { cause } = error as { cause?: NodeJS.ErrnoException };
  const why = error.name === 'TimeoutError' ? 'no answer within 30 seconds' : (cause?.code ?? cause?.message ?? error.message);
  const message = `Syncline cannot be reached at ${url} (${why}).\n${adviceFor(url, why)}`;
  return new CliError(message, 1, { code: 'UNREACHABLE', details: { url, reason: why } });
}

/** Whether it is the certificate that a connection has failed by. */
export function isNotTrusted({ code }: NodeJS.ErrnoException): boolean {
  return code !== undefined && NOT_TRUSTED.has(code);
}

function adviceFor(url: string, why: string): string {
  if (NOT_TRUSTED.has(why)) {
    return (
      'Something listens there, but its certificate is not trusted. On the machine of the service, leave SYNCLINE_URL out and set ' +
      'SYNCLINE_TLS_CERT and SYNCLINE_TLS_KEY as the service has them; elsewhere, name a file with its authority in NODE_EXTRA_CA_CERTS.'
    );
  }
  if (why.startsWith('it shows another certificate'))
    return 'If it is the service that still has an older one, its log says why. If it is another, set SYNCLINE_URL to where Syncline runs.';
  // What speaks https hangs up on those who do not, and the other way round.
  if (url.startsWith('http:') && (why === 'UND_ERR_SOCKET' || why === 'ECONNRESET')) {
    return (
      'Something listens there and hung up. If it speaks https, set SYNCLINE_TLS_CERT and SYNCLINE_TLS_KEY as the service has them, ' +
      'or SYNCLINE_URL with https.'
    );
  }
  if (why === 'EPROTO' || why.startsWith('ERR_SSL_'))
    return 'Something listens there, but not with https. Set SYNCLINE_URL to where Syncline runs, with http or https.';
  return 'Start it with `npm start`, or set SYNCLINE_URL to where it runs.';
}
