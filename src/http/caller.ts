import type { FastifyRequest } from 'fastify';
import type { Principal } from './scopes.ts';

/** Who does something and from where, as the audit keeps it. */
export interface Actor {
  /** The id of a key, the issuer and subject of a token, or in words who else it is. */
  id: string;
  /** Of the client; null when it came by no request. */
  address: string | null;
  request_id: string | null;
  /** Set when an assistant did it in the name of the key. */
  by?: 'an assistant';
  /** The session of the browser it came from, where it was no key. */
  session?: string;
}

/** The caller that a request comes from, and this request. */
export interface Caller extends Principal {
  /** Found out when asked for: most requests change nothing that is written down. */
  actor(): Actor;
  /** Has the audit tell that rows were read. */
  tellRead(read: ToldRead): void;
}

/** Writes down a read, on its own time. */
export type TellRead = (actor: Actor, read: ToldRead) => void;

export function callerOf(request: FastifyRequest, tellRead: TellRead): Caller {
  const { id, scopes, rateLimit, until, session } = request.principal as Principal;
  const actor = (): Actor => ({
    id,
    address: request.clientAddress,
    request_id: request.id,
    ...(isFromWithin(request) && { by: 'an assistant' as const }),
    ...(session !== undefined && { session }),
  });
  const told = { ...(until !== undefined && { until }), ...(session !== undefined && { session }) };
  return { id, scopes, rateLimit, ...told, actor, tellRead: (read) => tellRead(actor(), read) };
}

/** Whether the request came by no connection: Fastify marks those that we make ourselves, and only what serves assistants makes some. */
function isFromWithin({ raw }: FastifyRequest): boolean {
  return (raw as { isLightMyRequest?: boolean }).isLightMyRequest === true;
}

/** An actor that came by no request. */
export function actorCalled(id: string): Actor {
  return { id, address: null, request_id: null };
}

/** Rows of people or of other systems that a caller was shown: nothing has changed, but the audit tells of it. */
export interface ToldRead {
  action: string;
  /** What they are of; empty when it has no id. */
  objectId: string;
  rows: number;
  /** What else is to be known of it. Reads that differ in this are told one by one, so it says no more than needed. */
  details?: Record<string, unknown>;
}
