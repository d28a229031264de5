import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { checkServerIdentity, connect, type TLSSocket } from 'node:tls';

export interface Encryption {
  /** The name or the address that the certificate has to be for. */
  host: string;
  verifies: boolean;
  /** An authority, in PEM, that is trusted instead of the public ones. */
  ca?: string | undefined;
}

/** Puts TLS on a connection that stands already, for protocols that begin in plain text. */
export function encrypted(plain: Duplex, { host, verifies, ca }: Encryption): TLSSocket {
  return connect({
    socket: plain,
    ...(isIP(host) === 0 && { servername: host }),
    rejectUnauthorized: verifies,
    checkServerIdentity: (_, certificate) => (verifies ? checkServerIdentity(host, certificate) : undefined),
    ...(ca !== undefined && { ca }),
    minVersion: 'TLSv1.2',
  });
}
