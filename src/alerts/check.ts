import { intervalOf } from '../jobs/schedule.ts';
import { isTimeZone } from '../jobs/wall-clock.ts';
import type { FieldError } from '../lib/errors.ts';
import type { AlertChannel, QuietHours, Rule } from './alert.ts';
import type { ChannelInput, NewAlert, RuleInput } from './schemas.ts';

// What a schema cannot say of an alert. Everything here is pure.

const SHORTEST_REMINDER = 5 * 60_000;
/** What a mail server takes, and no more: nothing that could begin another line, another recipient or another address. */
const MAILBOX = /^[^\s@<>()[\]\\,;:"\p{Cc}]{1,64}@[^\s@<>()\\,;:"\p{Cc}]{1,255}$/u;
const NAMED_MAILBOX = /^(?<name>[^<>"\p{Cc}]*)<(?<mailbox>[^<>]+)>$/u;

/** A sender or recipient: what people see, and where it goes. */
export interface Mailbox {
  readonly name: string;
  readonly address: string;
}

/** Reads `ops@example.com` or `Operations <ops@example.com>`; undefined for anything else. */
export function mailboxOf(text: string): Mailbox | undefined {
  const { name = '', mailbox = text } = NAMED_MAILBOX.exec(text.trim())?.groups ?? {};
  const address = mailbox.trim();
  return MAILBOX.test(address) ? { name: name.trim(), address } : undefined;
}

export function channelFaults(channel: ChannelInput, mask: string): FieldError[] {
  const fault = (member: string, reason: string): FieldError => ({ field: `channel.${member}`, reason });
  if (channel.type === 'email') {
    return [
      ...(channel.smtp_url === mask ? [] : smtpFaults(channel.smtp_url)).map((reason) => fault('smtp_url', reason)),
      ...(mailboxOf(channel.from)
        ? []
        : [fault('from', 'must be an address such as syncline@example.com, or Syncline <syncline@example.com>')]),
      ...channel.to.flatMap((one, at) => (mailboxOf(one) ? [] : [fault(`to[${at}]`, 'must be an address such as ops@example.com')])),
      ...(typeof channel.ca === 'string' && !/-----BEGIN CERTIFICATE-----/.test(channel.ca)
        ? [fault('ca', 'must be a certificate in PEM')]
        : []),
    ];
  }
  const faults = channel.url === mask ? [] : webFaults(channel.url).map((reason) => fault('url', reason));
  const { secret } = channel as { secret?: string };
  if (secret !== undefined && secret !== mask && !isSigningSecret(secret))
    faults.push(fault('secret', 'must be whsec_ and 24 to 64 bytes in base64'));
  return faults;
}

/** The mail server in an address. */
export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** Whether TLS is spoken from the first byte on. */
  readonly isSecure: boolean;
  readonly user: string;
  readonly password: string;
}

export function mailServerOf(text: string): MailServer | undefined {
  const url = URL.parse(text);
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '') return undefined;
  const isSecure = url.protocol === 'smtps:';
  try {
    return {
      host: decodeURIComponent(url.hostname).replace(/^\[|\]$/g, ''),
      port: url.port === '' ? (isSecure ? 465 : 587) : Number(url.port),
      isSecure,
      user: decodeURIComponent(url.username),
      password: decodeURIComponent(url.password),
    };
  } catch {
    return undefined;
  }
}

function smtpFaults(text: string): string[] {
  const server = mailServerOf(text);
  const url = URL.parse(text);
  if (!server || !url) return ['must be an address such as smtp://user:password@mail.example.com:587, or smtps:// with TLS from the start'];
  if (!/^\/?$/.test(url.pathname) || url.search !== '' || url.hash !== '')
    return [
      'must end with the port: a mail server has neither path nor query. In user and password write / ? # @ and : as %2F %3F %23 %40 and %3A',
    ];
  if (server.port === 0) return ['must not have the port 0'];
  return server.password !== '' && server.user === '' ? ['has a password and no user'] : [];
}

function webFaults(text: string): string[] {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '') return ['must be an http or https address'];
  return url.username === '' && url.password === '' ? [] : ['must not hold a user or a password'];
}

function isSigningSecret(text: string): boolean {
  const [, base64 = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  const bytes = Buffer.from(base64, 'base64');
  return bytes.length >= 24 && bytes.length <= 64 && bytes.toString('base64').replace(/=+$/, '') === base64.replace(/=+$/, '');
}

/** A channel with every member; `made` is the secret when none was given. */
export function completeChannel(channel: ChannelInput, made: string): AlertChannel {
  if (channel.type === 'email') return { ...channel, ca: channel.ca ?? null };
  return channel.type === 'webhook' ? { ...channel, secret: channel.secret ?? made } : channel;
}

export function ruleFaults(rules: readonly RuleInput[]): FieldError[] {
  return rules.flatMap(({ type }, at): FieldError[] => {
    const field = `rules[${at}].type`;
    const isFirst = rules.findIndex((rule) => rule.type === type) === at;
    return isFirst ? [] : [{ field, reason: `is there twice: ${type} is one rule` }];
  });
}

/** A rule with every default filled in. */
export function completeRule(rule: RuleInput): Rule {
  switch (rule.type) {
    case 'failing':
      return { type: rule.type, runs: rule.runs ?? 1 };
    case 'rejects':
      return { type: rule.type, over: rule.over ?? 0 };
    case 'disk_full':
      return { type: rule.type, free_percent: rule.free_percent ?? 10 };
    case 'key_expires':
      return { type: rule.type, days: rule.days ?? 14 };
    default:
      return rule;
  }
}

export function timingFaults({ remind_every, quiet_hours }: Pick<NewAlert, 'remind_every' | 'quiet_hours'>): FieldError[] {
  const faults: FieldError[] = [];
  if (typeof remind_every === 'string' && (intervalOf(remind_every) ?? 0) < SHORTEST_REMINDER)
    faults.push({ field: 'remind_every', reason: 'must be a number and a unit, such as 30m, 4h or 1d; at least 5m, at most 366d' });
  if (!quiet_hours) return faults;
  if (quiet_hours.from === quiet_hours.to)
    faults.push({ field: 'quiet_hours.to', reason: 'must be another time than from: it would be quiet always, or never' });
  if (quiet_hours.timezone !== undefined && !isTimeZone(quiet_hours.timezone))
    faults.push({ field: 'quiet_hours.timezone', reason: 'must be a name of the IANA database, such as Europe/Berlin or UTC' });
  return faults;
}

export function completeQuiet(quiet: NonNullable<NewAlert['quiet_hours']>): QuietHours {
  return { from: quiet.from, to: quiet.to, timezone: quiet.timezone ?? 'UTC' };
}
