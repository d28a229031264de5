import type { EventsTable } from '../db/tables.ts';
import { idOf } from '../lib/ids.ts';

export const PAYLOADS = ['full', 'thin'] as const;
/** `full`: the object as it was after the change; `thin`: its id alone. */
export type Payload = (typeof PAYLOADS)[number];

/** `webhook-id`: the id of the event in the feed, whenever and however often it is sent. */
export function messageIdOf({ seq, created_at }: Pick<EventsTable, 'seq' | 'created_at'>): string {
  return idOf('evt', Date.parse(created_at), seq);
}

/** The body that an endpoint is sent for an event, as text: it is signed as it is sent. */
export function bodyOf(
  { type, object_id, created_at, data }: Pick<EventsTable, 'type' | 'object_id' | 'created_at' | 'data'>,
  payload: Payload,
): string {
  const told = payload === 'thin' ? JSON.stringify({ id: object_id }) : data;
  return `{"type":${JSON.stringify(type)},"timestamp":${JSON.stringify(created_at)},"data":${told}}`;
}
