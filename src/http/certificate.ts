import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Logger } from '../lib/log.ts';

/** The files of a certificate with those that vouch for it, and of its key; both in PEM. */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

export interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
  /** Milliseconds since 1970. */
  readonly begins: number;
  readonly ends: number;
}

/** So often we look whether a file is another one: those who renew certificates replace files, or the links that lead to them. */
const LOOK_INTERVAL = 5_000;

/** Reads both files; throws a sentence that names the file and what is wrong with it. */
export function loadCertificate(files: CertificateFiles): Certificate {
  const cert = read('SYNCLINE_TLS_CERT', files.cert);
  const key = read('SYNCLINE_TLS_KEY', files.key);
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(cert);
  } catch {
    throw new Error(`SYNCLINE_TLS_CERT: ${files.cert} holds no certificate in PEM ("-----BEGIN CERTIFICATE-----").`);
  }
  let privateKey: KeyObject;
  try {
    privateKey = createPrivateKey(key);
  } catch {
    throw new Error(`SYNCLINE_TLS_KEY: ${files.key} holds no private key in PEM that can be read without a passphrase.`);
  }
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new Error(
      `The key in ${files.key} does not belong to the first certificate in ${files.cert}: put the server's own certificate first.`,
    );
  }
  return { cert, key, begins: Date.parse(certificate.validFrom), ends: Date.parse(certificate.validTo) };
}

/** Says so when browsers and other clients will refuse it. */
export function warnOfDates({ cert }: CertificateFiles, { begins, ends }: Certificate, log: Logger): void {
  const now = Date.now();
  if (ends < now) log.warn({ file: cert, ended: new Date(ends).toISOString() }, 'the certificate has expired: clients will refuse it');
  if (begins > now)
    log.warn({ file: cert, begins: new Date(begins).toISOString() }, 'the certificate is not valid yet: clients will refuse it');
}

/** Calls back with the new certificate when a file is replaced. Until it is whole and right the old one stays in use. */
export function watchCertificate(files: CertificateFiles, onChange: (certificate: Certificate) => void, log: Logger): () => void {
  let inUse: string | undefined;
  let faulty: string | undefined;
  let told: string | undefined;
  const look = async (): Promise<void> => {
    const found = await stateOf(files);
    inUse ??= found;
    if (found === inUse || found === told) return;
    try {
      onChange(loadCertificate(files));
      inUse = found;
      log.info(files, 'the certificate was replaced; new connections get it');
    } catch (error) {
      // The second file of the two may be on its way: only what is still wrong at the next look is told, and that once.
      if (faulty === found) {
        told = found;
        log.error({ ...files, reason: (error as Error).message }, 'the new certificate cannot be used; the one before stays in use');
      }
      faulty = found;
    }
  };
  void look();
  const timer = setInterval(() => void look(), LOOK_INTERVAL).unref();
  return () => clearInterval(timer);
}

/** Changes whenever one of the files is another one. */
async function stateOf({ cert, key }: CertificateFiles): Promise<string> {
  const states = [cert, key].map(async (file) => {
    const found = await stat(file, { bigint: true }).catch(() => undefined);
    return found === undefined ? 'gone' : `${found.dev} ${found.ino} ${found.mtimeNs} ${found.size}`;
  });
  return (await Promise.all(states)).join(', ');
}

function read(setting: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'there is no such file' : code === 'EACCES' ? 'this user may not read it' : message;
    throw new Error(`${setting}: ${file} cannot be read: ${why}.`, { cause: error });
  }
}
