import type { Field, Stream } from '../contract.ts';

/** What a call has, as fields. */
export const FIELDS: readonly Field[] = [
  { name: 'sequence', type: 'int64', nullable: false },
  { name: 'id', type: 'text', nullable: false },
  { name: 'received_at', type: 'timestamptz', nullable: false },
  { name: 'sender_id', type: 'text', nullable: true },
  { name: 'headers', type: 'json', nullable: false },
  { name: 'body', type: 'json', nullable: false },
  { name: 'encoding', type: 'text', nullable: false },
];

/** Every hook has the same. */
export const STREAM: Stream = {
  name: 'hook',
  kind: 'resource',
  fields: FIELDS,
  key: ['id'],
  cursors: ['sequence'],
  writable: false,
  estimatedRows: null,
};
