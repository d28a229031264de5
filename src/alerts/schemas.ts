import { JsonText, Named, Nullable, OneOf, SpanInput, Strict, Time } from '../http/schemas.ts';
import { type Static, Type } from '../lib/schema.ts';
import { MESSAGE_STATUSES, RULES } from './alert.ts';

const MAX_RECIPIENTS = 50;
const MAX_SYNCS = 1000;

const Name = Type.String({ minLength: 1, maxLength: 100, description: 'What people call it.', examples: ['operations'] });
const secret = (description: string, examples: string[]) => Type.String({ minLength: 1, maxLength: 2000, description, examples });
const WebAddress = secret(
  'The address of the incoming webhook. It is a secret: encrypted, shown as `"********"`, and kept when that is sent back.',
  ['https://hooks.example.com/services/T000/B000/XXXX'],
);
const Address = Type.String({ minLength: 3, maxLength: 320, examples: ['ops@example.com'] });

const EMAIL = {
  type: Type.Literal('email'),
  smtp_url: secret(
    'The mail server with its user and password: `smtps://` speaks TLS from the start, `smtp://` changes to it (STARTTLS): always where there is a password, otherwise when the server offers it. A secret, as `"********"`.',
    ['smtp://user:password@mail.example.com:587'],
  ),
  from: Type.String({
    minLength: 3,
    maxLength: 400,
    description: 'The sender: an address, or a name and an address.',
    examples: ['Syncline <syncline@example.com>'],
  }),
  to: Type.Array(Address, { minItems: 1, maxItems: MAX_RECIPIENTS, uniqueItems: true }),
};
const Authority = Type.String({
  minLength: 1,
  maxLength: 65_536,
  description: 'The certificate of an authority, in PEM, that is trusted besides the public ones.',
});
const chat = <const Word extends string>(type: Word, title: string) => Strict({ type: Type.Literal(type), url: WebAddress }, { title });
const CHATS = [
  chat('slack', 'Slack'),
  chat('teams', 'Microsoft Teams'),
  chat('discord', 'Discord'),
  chat('mattermost', 'Mattermost'),
] as const;
const SigningSecret = secret(
  'Signs each message as Standard Webhooks say: `whsec_` and 24 to 64 bytes in base64. One is made when it is left out, and shown by that answer only.',
  ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'],
);

const channelInput = Type.OneOf(
  [
    Strict({ ...EMAIL, ca: Type.Optional(Nullable(Authority)) }, { title: 'E-mail' }),
    ...CHATS,
    Strict({ type: Type.Literal('webhook'), url: WebAddress, secret: Type.Optional(SigningSecret) }, { title: 'Webhook' }),
  ],
  { description: 'How it is told.' },
);
const ChannelInput = Type.Named('NewAlertChannel', channelInput);
export type ChannelInput = Static<typeof ChannelInput>;

const channel = Type.OneOf(
  [
    Strict({ ...EMAIL, ca: Nullable(Authority) }, { title: 'E-mail' }),
    ...CHATS,
    Strict({ type: Type.Literal('webhook'), url: WebAddress, secret: SigningSecret }, { title: 'Webhook' }),
  ],
  { description: 'How it is told; secrets are shown as `"********"`.' },
);

const Channel = Type.Named('AlertChannel', channel);

const Runs = Type.Integer({ minimum: 1, maximum: 10, default: 1, description: 'So many failed runs in a row.' });
const Over = Type.Integer({ minimum: 0, maximum: 10_000, default: 0, description: 'More rejected rows than these are open.' });
const Seconds = Type.Integer({ minimum: 1, maximum: 31_622_400, description: 'The last successful run began longer ago than this.' });
const FreePercent = Type.Integer({ minimum: 1, maximum: 50, default: 10, description: 'Less than this part of the disk is free.' });
const Days = Type.Integer({ minimum: 1, maximum: 365, default: 14, description: 'It expires within so many days.' });

const titled = { failing: 'Failing', rejects: 'Rejected rows', lag: 'Lag', disk_full: 'Disk nearly full', key_expires: 'Key expires' };
const PLAIN = [
  Strict({ type: Type.Literal('needs_approval') }, { title: 'Needs approval' }),
  Strict(
    { type: Type.Literal('differs') },
    { title: 'Differs', description: 'A verify or a repair has seen rows that differ at the two ends.' },
  ),
  Strict(
    { type: Type.Literal('late') },
    { title: 'Late', description: 'No run has succeeded within `expect_every` of the synchronization.' },
  ),
  Strict(
    { type: Type.Literal('schema_changed') },
    { title: 'Schema changed', description: 'A run has noticed that fields of the source are others.' },
  ),
  Strict(
    { type: Type.Literal('endpoint_paused') },
    { title: 'Endpoint paused', description: 'Syncline has paused or disabled an endpoint of webhooks.' },
  ),
] as const;

const ruleInput = Type.OneOf(
  [
    Strict({ type: Type.Literal('failing'), runs: Type.Optional(Runs) }, { title: titled.failing }),
    Strict({ type: Type.Literal('rejects'), over: Type.Optional(Over) }, { title: titled.rejects }),
    Strict({ type: Type.Literal('lag'), seconds: Seconds }, { title: titled.lag }),
    Strict({ type: Type.Literal('disk_full'), free_percent: Type.Optional(FreePercent) }, { title: titled.disk_full }),
    Strict({ type: Type.Literal('key_expires'), days: Type.Optional(Days) }, { title: titled.key_expires }),
    ...PLAIN,
  ],
  { description: 'What it is told of.' },
);
const RuleInput = Type.Named('NewAlertRule', ruleInput);
export type RuleInput = Static<typeof RuleInput>;

const rule = Type.OneOf([
  Strict({ type: Type.Literal('failing'), runs: Runs }, { title: titled.failing }),
  Strict({ type: Type.Literal('rejects'), over: Over }, { title: titled.rejects }),
  Strict({ type: Type.Literal('lag'), seconds: Seconds }, { title: titled.lag }),
  Strict({ type: Type.Literal('disk_full'), free_percent: FreePercent }, { title: titled.disk_full }),
  Strict({ type: Type.Literal('key_expires'), days: Days }, { title: titled.key_expires }),
  ...PLAIN,
]);

const Rule = Type.Named('AlertRule', rule);

const RulesInput = Type.Array(RuleInput, { minItems: 1, maxItems: RULES.length });
const SyncIds = Nullable(
  Type.Array(Type.String({ maxLength: 100, examples: ['syn_01kf9zzz5tf3sv8q0d1h6c2w7m'] }), {
    minItems: 1,
    maxItems: MAX_SYNCS,
    uniqueItems: true,
    description: 'The synchronizations that its rules are about; null for all, also those to come.',
  }),
);
const RemindEvery = Nullable(
  SpanInput('30m, 4h or 1d; at least 5m, at most 366d', {
    description: 'How often it is told again of what is still wrong: a number and `m`, `h` or `d`, at least 5m; null for never.',
    examples: ['4h'],
  }),
);
const WallTime = (description: string, example: string) =>
  Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', description, examples: [example] });
const Quiet = {
  from: WallTime('From when on nothing is sent, by the clock on the wall.', '22:00'),
  to: WallTime('Until when; before `from`, it is on the next day.', '07:00'),
};
const ZONE = { maxLength: 100, description: 'A name of the IANA database.', examples: ['Europe/Berlin'] };
const QUIET_WORDS = { description: 'When nothing is sent: messages wait until it is over.' };

const OPTIONAL = {
  sync_ids: Type.Optional(SyncIds),
  remind_every: Type.Optional(RemindEvery),
  quiet_hours: Type.Optional(
    Nullable(Strict({ ...Quiet, timezone: Type.Optional(Type.String({ ...ZONE, default: 'UTC' })) }, QUIET_WORDS)),
  ),
};

export const NewAlert = Named('NewAlert', { name: Name, channel: ChannelInput, rules: RulesInput, ...OPTIONAL });
export type NewAlert = Static<typeof NewAlert>;

export const ChangedAlert = Named('ChangedAlert', {
  name: Type.Optional(Name),
  channel: Type.Optional(ChannelInput),
  rules: Type.Optional(RulesInput),
  ...OPTIONAL,
});
export type ChangedAlert = Static<typeof ChangedAlert>;

const ALERT = {
  id: Type.String({ examples: ['alt_01kfa0v2m3f8rb4v3k7m2t9xqe'] }),
  name: Type.String(),
  channel: JsonText(Channel),
  rules: JsonText(Type.Array(Rule)),
  sync_ids: Nullable(JsonText(Type.Array(Type.String()))),
  remind_every: RemindEvery,
  quiet_hours: Nullable(JsonText(Strict({ ...Quiet, timezone: Type.String(ZONE) }))),
  status: OneOf(['ok', 'failing', 'unused'], {
    description: '`ok`: the last message got through. `failing`: it did not, and is tried again. `unused`: there was none yet.',
  }),
  error: Nullable(
    Type.String({
      description: 'Why the last message did not get through. Null for a key that may not hear of all that its rules are about.',
    }),
  ),
  error_at: Nullable(Time()),
  sent_at: Nullable(Time('When a message got through last.')),
  waiting: Type.Integer({ description: 'Messages that are still to be sent.' }),
  version: Type.Integer(),
  created_at: Time(),
  updated_at: Time(),
};
export const Alert = Named('Alert', ALERT);
export const AlertShown = Named('AlertWithSecret', {
  ...ALERT,
  secret: Nullable(
    Type.String({ description: 'The secret that signs its messages, when it was made just now: it cannot be shown again.' }),
  ),
});

export const TestResult = Named('AlertTest', {
  delivered: Type.Boolean(),
  duration_ms: Type.Integer(),
  error: Nullable(Type.String({ description: 'Why it did not get through, in words.' })),
});

export const Message = Named('AlertMessage', {
  id: Type.String({ examples: ['msg_01kfa0v2m3f8rb4v3k7m2t9xqe'] }),
  incident_id: Type.String(),
  rule: OneOf(RULES),
  object_id: Type.String(),
  object_name: Type.String(),
  summary: Type.String(),
  kind: OneOf(['opened', 'reminder', 'closed']),
  status: OneOf(MESSAGE_STATUSES, {
    description:
      '`waiting`: it is still to be sent. `skipped`: it was held back until what it tells of was over, and that was told instead. `failed`: it did not get through for 30 days.',
  }),
  attempts: Type.Integer(),
  created_at: Time(),
  next_at: Nullable(Time('When it is tried, or tried again.')),
  sent_at: Nullable(Time()),
  error: Nullable(
    Type.String({ description: 'Why the last attempt failed; of a mail that was sent, which recipients the server refused.' }),
  ),
});

export const Incident = Named('Incident', {
  id: Type.String({ examples: ['inc_01kfa0v2m3f8rb4v3k7m2t9xqe'] }),
  rule: OneOf(RULES, { description: 'What is wrong. Later versions of v1 may add some.' }),
  object_id: Type.String({ description: 'What it is wrong with: a synchronization, an endpoint, a key, or the name of a machine.' }),
  object_name: Type.String(),
  opened_at: Time(),
  closed_at: Nullable(Time()),
  summary: Type.String({ description: 'What is wrong, in words.' }),
  ending: Nullable(Type.String({ description: 'Why it is over, in words.' })),
  details: JsonText(Type.Object({}, { additionalProperties: true, description: 'What is known of it, by rule.' })),
});

const EXAMPLE_RULES = [{ type: 'failing', runs: 1 }, { type: 'needs_approval' }, { type: 'rejects', over: 100 }];

export const EXAMPLE_NEW_ALERT = {
  name: 'operations',
  channel: {
    type: 'email',
    smtp_url: 'smtp://user:password@mail.example.com:587',
    from: 'Syncline <syncline@example.com>',
    to: ['ops@example.com'],
  },
  rules: [{ type: 'failing' }, { type: 'needs_approval' }, { type: 'rejects', over: 100 }],
  remind_every: '4h',
  quiet_hours: { from: '22:00', to: '07:00', timezone: 'Europe/Berlin' },
};

export const EXAMPLE_ALERT = {
  id: 'alt_01kfa0v2m3f8rb4v3k7m2t9xqe',
  name: 'operations',
  channel: { ...EXAMPLE_NEW_ALERT.channel, smtp_url: '********', ca: null },
  rules: EXAMPLE_RULES,
  sync_ids: null,
  remind_every: '4h',
  quiet_hours: EXAMPLE_NEW_ALERT.quiet_hours,
  status: 'ok',
  error: null,
  error_at: null,
  sent_at: '2026-11-01T09:30:00.000Z',
  waiting: 0,
  version: 1,
  created_at: '2026-10-01T08:00:00.000Z',
  updated_at: '2026-10-01T08:00:00.000Z',
};
export const EXAMPLE_SHOWN = { ...EXAMPLE_ALERT, status: 'unused', sent_at: null, secret: null };

export const EXAMPLE_INCIDENT = {
  id: 'inc_01kfa0v2m3f8rb4v3k7m2t9xqe',
  rule: 'failing',
  object_id: 'syn_01kf9zzz5tf3sv8q0d1h6c2w7m',
  object_name: 'customers to the warehouse',
  opened_at: '2026-11-01T09:30:00.000Z',
  closed_at: null,
  summary: 'The last run failed: Nothing answers at db.example.com:5432: the connection was refused.',
  ending: null,
  details: { run_id: 'run_01kfa0v2m3f8rb4v3k7m2t9xqe', code: 'PORT_CLOSED', failures: 1 },
};

export const EXAMPLE_MESSAGE = {
  id: 'msg_01kfa0v2m3f8rb4v3k7m2t9xqe',
  incident_id: EXAMPLE_INCIDENT.id,
  rule: 'failing',
  object_id: EXAMPLE_INCIDENT.object_id,
  object_name: EXAMPLE_INCIDENT.object_name,
  summary: EXAMPLE_INCIDENT.summary,
  kind: 'opened',
  status: 'sent',
  attempts: 1,
  created_at: '2026-11-01T09:30:01.000Z',
  next_at: null,
  sent_at: '2026-11-01T09:30:02.000Z',
  error: null,
};
