import { type Static, Type } from '../../lib/schema.ts';

/** The largest manifest that is known has little more than a megabyte. */
export const MAX_MANIFEST = 8_000_000;

export const ConfigSchema = Type.Object(
  {
    manifest: Type.Optional(
      Type.String({
        maxLength: MAX_MANIFEST,
        title: 'Manifest',
        description: 'The declarative manifest of Airbyte, as YAML or JSON. Give either this or `path`.',
      }),
    ),
    path: Type.Optional(
      Type.String({
        maxLength: 4096,
        title: 'Path',
        description: 'Where the manifest is instead, in one of the folders that Syncline may read.',
      }),
    ),
    settings: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      default: {},
      'x-secrets-by': {
        member: 'manifest',
        mark: 'airbyte_secret',
        within: 'connection_specification',
        always: ['refresh_token', 'access_token'],
      },
      title: 'Settings',
      description:
        'What the manifest wants to know, such as a key or the first day: its own `spec` says what. Members that it marks as secret are kept encrypted.',
    }),
  },
  { additionalProperties: false },
);

export type AirbyteConfig = Static<typeof ConfigSchema>;
