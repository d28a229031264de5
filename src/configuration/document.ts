import { NewAlert } from '../alerts/schemas.ts';
import { NewHook } from '../datasync/hooks/schemas.ts';
import { NewSync } from '../datasync/syncs/schemas.ts';
import { OneOf, Strict } from '../http/schemas.ts';
import { NewKeyBody } from '../keys/schemas.ts';
import { type TSchema, Type } from '../lib/schema.ts';
import { NewWebhook } from '../webhooks/schemas.ts';

// What may stand in a document. Entries are what the routes of the API take, with names where those have ids.

/** What a document holds, in the order in which it is written and applied. */
export const SECTIONS = ['sources', 'hooks', 'syncs', 'webhooks', 'alerts', 'keys'] as const;
export type Section = (typeof SECTIONS)[number];

/** What one of each is called. */
export const WORDS: Readonly<Record<Section, string>> = {
  sources: 'source',
  hooks: 'hook',
  syncs: 'synchronization',
  webhooks: 'endpoint',
  alerts: 'alert',
  keys: 'key',
};

export type ConfigEntry = Readonly<Record<string, unknown>>;
export type Entries = Readonly<Record<string, ConfigEntry>>;

/** A whole configuration, by section and name. */
export type ConfigDocument = Partial<Readonly<Record<Section, Entries>>> & { readonly version?: 1; readonly defaults?: DocumentDefaults };

/** What entries have that say nothing else. */
export interface DocumentDefaults {
  readonly syncs?: ConfigEntry;
  readonly streams?: ConfigEntry;
  readonly webhooks?: ConfigEntry;
  readonly alerts?: ConfigEntry;
}

export const LONGEST_NAME = 100;
const properties = (schema: TSchema): Record<string, TSchema> => ({ ...schema.properties });
const without = (schema: TSchema, ...names: string[]): Record<string, TSchema> =>
  Object.fromEntries(Object.entries(properties(schema)).filter(([name]) => !names.includes(name)));
/** All of them may be left out. */
const optional = (members: Record<string, TSchema>): Record<string, TSchema> =>
  Object.fromEntries(Object.entries(members).map(([name, schema]) => [name, Type.Optional(schema)]));
const named = (what: string): TSchema => Type.String({ minLength: 1, maxLength: LONGEST_NAME, description: `The name of ${what}.` });

/** Schedules name the synchronization that runs before. */
const Schedule = Type.OneOf(
  [
    ...(NewSync.properties?.['schedule']?.oneOf ?? []).filter(({ properties: members }) => members?.['type']?.const !== 'after'),
    Strict({ type: Type.Literal('after'), sync: named('the synchronization that runs before this one') }, { title: 'After' }),
  ],
  { description: NewSync.properties?.['schedule']?.description ?? '' },
);

const streamMembers = properties(NewSync.properties?.['streams']?.items ?? {});
const Stream = Strict(
  {
    ...streamMembers,
    source: Type.String({
      minLength: 1,
      maxLength: 1000,
      description: 'The stream that is read. `*` stands for any text, such as `public.*`: one for each stream that the source has then.',
      examples: ['public.customers'],
    }),
    exclude: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 1000 }), {
        maxItems: 500,
        description: 'Of a source with `*`: streams that are left out, also with `*`.',
        examples: [['public.audit_*']],
      }),
    ),
  },
  { description: 'How one stream is read and written.' },
);
const Streams = Type.Array(
  Type.Unsafe({ anyOf: [Type.String({ minLength: 1, maxLength: 1000, description: 'A stream with all its defaults.' }), Stream] }),
  { minItems: 1, maxItems: 500, description: 'What is kept in sync. A name alone is enough.' },
);

const Sync = Strict({
  source: named('the source that is read'),
  target: named('the source that is written to'),
  streams: Streams,
  schedule: Type.Optional(Schedule),
  ...optional(without(NewSync, 'name', 'source_id', 'target_id', 'streams', 'schedule')),
  status: Type.Optional(OneOf(['active', 'paused'], { description: 'Whether it runs by itself. What is not said stays as it is.' })),
});

const Source = Strict({
  type: Type.String({ minLength: 1, maxLength: 64, description: 'A connector.' }),
  config: Type.Object({}, { additionalProperties: true, description: 'What the connector needs. Secrets are references.' }),
});

const Alert = Strict({
  ...without(NewAlert, 'name', 'sync_ids'),
  syncs: Type.Optional(
    Type.Unsafe({
      anyOf: [
        Type.Array(named('a synchronization'), { minItems: 1, maxItems: 1000, uniqueItems: true, description: 'Those that it is about.' }),
        { type: 'null' },
      ],
    }),
  ),
});

const Hook = Strict({
  ...without(NewHook, 'name', 'sync_id'),
  sync: Type.Optional(Type.Unsafe({ anyOf: [named('the synchronization that a call starts'), { type: 'null' }] })),
});

/** What each entry of a section is. */
export const ENTRIES: Readonly<Record<Section, TSchema>> = {
  sources: Source,
  hooks: Hook,
  syncs: Sync,
  webhooks: Strict(without(NewWebhook, 'name', 'from')),
  alerts: Alert,
  keys: Strict(without(NewKeyBody, 'name')),
};

/** What `defaults` may say, by what it is for. */
export const DEFAULTS: Readonly<Record<keyof DocumentDefaults, TSchema>> = {
  syncs: Strict(optional(without(Sync, 'source', 'target', 'streams', 'status'))),
  streams: Strict(optional(without(Stream, 'source', 'target', 'exclude'))),
  webhooks: Strict(optional(without(ENTRIES.webhooks, 'url'))),
  alerts: Strict(optional(without(Alert, 'channel'))),
};
