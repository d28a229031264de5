import { MASK } from '../sources/secret-members.ts';
import { callId, type CallRow, type HookRow } from './queries.ts';
import { SECRET_HEADER } from './schemes.ts';

/** A hook as it is shown: without its secrets and its token. */
export function renderHook(row: HookRow) {
  const { id, name, scheme, sync_id, calls, last_call_at, refused, refused_at, refused_reason, version, created_at, updated_at } = row;
  const header = scheme === 'secret' ? (row.header ?? SECRET_HEADER) : null;
  const secret = row.secrets === null ? null : MASK;
  return {
    id,
    name,
    scheme,
    secret,
    header,
    sync_id,
    calls,
    last_call_at,
    refused,
    refused_at,
    refused_reason,
    version,
    created_at,
    updated_at,
  };
}

/** The same as JSON text for events, without what calls change. */
export function hookJson(row: HookRow): string {
  const { calls: _, last_call_at: __, refused: ___, refused_at: ____, refused_reason: _____, ...about } = renderHook(row);
  return JSON.stringify(about);
}

export function renderCall(hookId: string, { seq, sender_id, received_at, headers, body, encoding }: CallRow) {
  return { id: callId(hookId, seq), sequence: seq, sender_id, received_at, headers, body, encoding };
}
