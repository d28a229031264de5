import { rootCertificates } from 'node:tls';

/** The authorities that are trusted when one more, in PEM, is given besides the public ones. */
export function authoritiesWith(ca: string): string[] {
  return [...rootCertificates, ca];
}
