import { type FieldError, invalidParams } from '../lib/errors.ts';
import type { Keyring } from '../lib/secrets.ts';
import type { AlertChannel } from './alert.ts';

/** What stands where a secret is. Sent back, it keeps the secret. */
export const MASK = '********';

/** The members of channels that are encrypted and never shown. */
const MEMBERS = ['smtp_url', 'url', 'secret'] as const;
type Secrets = Partial<Record<(typeof MEMBERS)[number], string>>;

/** A channel in its two parts: what may be shown, and the secrets, sealed for this alert. */
export interface SealedChannel {
  readonly shown: string;
  readonly secrets: string;
}

/** Seals a channel. Masks in it stand for what was there before, which is asked for only then. */
export function sealChannel(keyring: Keyring, id: string, channel: AlertChannel, before: () => Secrets): SealedChannel {
  const given = channel as Secrets;
  const secrets: Secrets = {};
  const faults: FieldError[] = [];
  for (const member of MEMBERS) {
    const value = given[member] === MASK ? before()[member] : given[member];
    if (value !== undefined) secrets[member] = value;
    else if (given[member] === MASK)
      faults.push({ field: `channel.${member}`, reason: 'is the placeholder of a secret that is not stored: send the secret itself' });
  }
  if (faults.length > 0) throw invalidParams(faults);
  const masks = Object.fromEntries(Object.keys(secrets).map((member) => [member, MASK]));
  return { shown: JSON.stringify({ ...channel, ...masks }), secrets: keyring.encrypt(JSON.stringify(secrets), id) };
}

/** The secrets of a channel. Throws a SecretError when the key is not there. */
export function openSecrets(keyring: Keyring, { id, secrets }: { id: string; secrets: string }): Secrets {
  return JSON.parse(keyring.decrypt(secrets, id)) as Secrets;
}

/** The channel as it is used: never to be logged, stored or shown. */
export function openChannel(keyring: Keyring, row: { id: string; channel: string; secrets: string }): AlertChannel {
  return { ...(JSON.parse(row.channel) as AlertChannel), ...openSecrets(keyring, row) };
}
