import type { FieldError } from '../../lib/errors.ts';
import type { Manifest } from '../contract.ts';
import { type AirbyteConfig, ConfigSchema } from './config.ts';

export const manifest: Manifest = {
  type: 'airbyte',
  title: 'Airbyte manifest',
  description: 'Any service that a declarative manifest of Airbyte describes, read as the manifest says. No Docker and no Python.',
  category: 'api',
  keywords: ['Airbyte', 'REST', 'SaaS', 'low-code', 'declarative', 'YAML'],
  config: ConfigSchema,
  abilities: {
    read: true,
    write: [],
    incremental: true,
    resumable: true,
    transactional: false,
    checkpoints: false,
    createsStreams: false,
    deletes: false,
    filters: false,
    notes:
      'Streams, keys, cursors and types are those of the manifest; one without a cursor is read in full. Streams that need custom code in Python are ' +
      'named, and cannot be read. An incremental read may give records again that were read before: those of the lookback window, and of an export that was cut off.',
  },
  // Such fields are read, but nothing is to be expected of their order.
  naming: { fields: [{ pattern: String.raw`^(?:__proto__|\d+)$`, why: 'a manifest has no members that are called so in their order' }] },
  outlines: true,
  validate,
};

function validate({ manifest: text, path }: AirbyteConfig): FieldError[] {
  if ((text === undefined) === (path === undefined))
    return [{ field: 'manifest', reason: 'is needed, unless `path` says where it is; not both' }];
  return [];
}
