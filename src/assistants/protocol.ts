import type { IncomingHttpHeaders } from 'node:http';
import { isJsonObject, type JsonObject } from '../lib/exact-json.ts';

// The Model Context Protocol has two forms on the wire. Up to 2025-11-25 a client begins with `initialize` and names the version in a header from then on. From
// 2026-07-28 on there is no beginning: each request tells its version in `_meta`, and repeats in headers what it asks for. Both are taken here; neither has a session.

/** Those that begin with `initialize`, newest first. */
export const HANDSHAKE_VERSIONS = ['2025-11-25', '2025-06-18'] as const;
/** Those whose requests speak for themselves. */
export const STATELESS_VERSIONS = ['2026-07-28'] as const;

const VERSION_MEMBER = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES_MEMBER = 'io.modelcontextprotocol/clientCapabilities';

const CODES = {
  request: -32_600,
  method: -32_601,
  params: -32_602,
  /** Headers and body disagree. */
  headers: -32_020,
  version: -32_022,
} as const;

/** A message that cannot be answered as it is. */
export class RpcFault extends Error {
  readonly status: number;
  readonly code: number;
  readonly data: JsonObject | undefined;

  constructor(kind: keyof typeof CODES, message: string, status: number, data?: JsonObject) {
    super(message);
    this.code = CODES[kind];
    this.status = status;
    this.data = data;
  }
}

export type RpcId = string | number;

export interface RpcMessage {
  /** Undefined of a notification, which wants no answer. */
  id: RpcId | undefined;
  method: string;
  params: JsonObject;
  isStateless: boolean;
}

/** Reads a message; throws an RpcFault where it is none. `idOf` tells whom to tell. */
export function readMessage(body: unknown, headers: IncomingHttpHeaders): RpcMessage {
  if (Array.isArray(body)) throw new RpcFault('request', 'Batches are not taken: send each message in a request of its own.', 400);
  if (!isJsonObject(body)) throw new RpcFault('request', 'The body must be one JSON-RPC message: an object.', 400);
  const { jsonrpc, method, params = {} } = body;
  if (jsonrpc !== '2.0' || typeof method !== 'string') {
    throw new RpcFault('request', 'This is no request of JSON-RPC 2.0: "jsonrpc": "2.0" and "method" are needed.', 400);
  }
  const id = idOf(body);
  if ('id' in body && id === undefined) throw new RpcFault('request', '"id" must be a text or a whole number.', 400);
  if (!isJsonObject(params)) throw new RpcFault('params', '"params" must be an object.', 400);
  const meta = isJsonObject(params['_meta']) ? params['_meta'] : {};
  const claimed = meta[VERSION_MEMBER];
  const told = textOf(headers['mcp-protocol-version']);
  if (claimed === undefined) demandHandshakeVersion(told);
  else demandStateless(claimed, meta, method, params, headers);
  return { id, method, params, isStateless: claimed !== undefined };
}

/** The id of a message, if it has one that can be answered to. */
export function idOf(body: unknown): RpcId | undefined {
  const id = isJsonObject(body) ? body['id'] : undefined;
  return (typeof id === 'string' && id.length <= 1000) || Number.isSafeInteger(id) ? (id as RpcId) : undefined;
}

function demandHandshakeVersion(told: string | undefined): void {
  if (told === undefined || (HANDSHAKE_VERSIONS as readonly string[]).includes(told)) return;
  if ((STATELESS_VERSIONS as readonly string[]).includes(told)) {
    throw new RpcFault('params', `In version ${told}, each request has its version in params._meta["${VERSION_MEMBER}"].`, 400);
  }
  throw unsupported(told);
}

function demandStateless(claimed: unknown, meta: JsonObject, method: string, params: JsonObject, headers: IncomingHttpHeaders): void {
  if (!(STATELESS_VERSIONS as readonly unknown[]).includes(claimed)) throw unsupported(claimed);
  if (!isJsonObject(meta[CAPABILITIES_MEMBER])) {
    throw new RpcFault('params', `params._meta["${CAPABILITIES_MEMBER}"] must be an object.`, 400);
  }
  demandSame('MCP-Protocol-Version', headers, claimed as string);
  demandSame('Mcp-Method', headers, method);
  if (method === 'tools/call' && typeof params['name'] === 'string') demandSame('Mcp-Name', headers, params['name']);
}

/** A proxy may have judged the request by its headers, so they must tell what the body does. */
function demandSame(name: string, headers: IncomingHttpHeaders, wanted: string): void {
  const told = textOf(headers[name.toLowerCase()]);
  if (told !== undefined && decoded(told) === wanted) return;
  throw new RpcFault('headers', `The header ${name} must say the same as the body.`, 400);
}

/** What cannot be written in a header is wrapped, in base64. */
function decoded(text: string): string {
  const wrapped = /^=\?base64\?([A-Za-z0-9+/=]*)\?=$/.exec(text)?.[1];
  return wrapped === undefined ? text : Buffer.from(wrapped, 'base64').toString();
}

function textOf(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header.trim() : header?.join(',');
}

function unsupported(requested: unknown): RpcFault {
  const supported = [...STATELESS_VERSIONS, ...HANDSHAKE_VERSIONS];
  const words = `This version of the protocol is not spoken here. Those that are: ${supported.join(', ')}.`;
  return new RpcFault('version', words, 400, { supported, requested: typeof requested === 'string' ? requested.slice(0, 50) : null });
}
