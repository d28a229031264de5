import type { Manifest } from '../contract.ts';
import { ConfigSchema } from './config/config.ts';
import { validate } from './config/validate.ts';

export const manifest: Manifest = {
  type: 'http',
  category: 'api',
  keywords: ['REST', 'GraphQL', 'JSON', 'OAuth', 'SaaS', 'Vendure'],
  title: 'HTTP API',
  description: 'Any REST API that speaks JSON, by declaration: address, authentication, streams, paging and writing. No code.',
  config: ConfigSchema,
  abilities: {
    read: true,
    write: ['append', 'upsert'],
    incremental: true,
    resumable: true,
    transactional: false,
    checkpoints: false,
    createsStreams: false,
    deletes: true,
    filters: false,
    notes:
      'What a stream can do is declared with it: incremental reading, writing, its modes, and removing. An API has no transactions ' +
      'and keeps no checkpoint: records are written one after the other, each with an idempotency key that is the same whenever the ' +
      'same version of the record is written again, so that a repetition is harmless where the API honours such keys or writes by key. ' +
      'The position of the last slice is kept by Syncline, not by the API.',
  },
  naming: {},
  validate,
};
