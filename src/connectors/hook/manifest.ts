import { Type } from '../../lib/schema.ts';
import type { Manifest } from '../contract.ts';
import { STREAM } from './stream.ts';

export const manifest: Manifest = {
  type: 'hook',
  category: 'events',
  keywords: ['webhook', 'Shopify', 'WooCommerce', 'Stripe', 'GitHub', 'push'],
  title: 'Calls of a hook',
  description: 'What other systems have sent to a hook of this Syncline (webhooks): each call is a row, to be mapped like any other.',
  config: Type.Object(
    {
      hook: Type.String({
        minLength: 1,
        maxLength: 100,
        title: 'Hook',
        description: 'The id of the hook, as GET /api/v1/datasync/hooks lists it.',
        examples: ['hok_01kfa0v2m3f8rb4v3k7m2t9xqe'],
      }),
    },
    { additionalProperties: false },
  ),
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
    tellsChanges: true,
    notes:
      'Calls are read in the order in which they were taken, none is missed and none comes twice. They are kept for 30 days (SYNCLINE_HOOK_DAYS): ' +
      'what is to stay longer is read in time, as incremental or append.',
  },
  naming: {},
  hookMember: 'hook',
  streams: [STREAM],
};
