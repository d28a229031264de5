import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  name: string;
  kind: number;
  /** Nanoseconds. */
  start: bigint;
  end: bigint;
  attributes: Record<string, unknown>;
  failed: string | undefined;
  service: unknown;
}

export interface TraceCollector {
  url: string;
  spans: CollectedSpan[];
  /** All that was posted, as it came. */
  bodies: string[];
  headers: IncomingHttpHeaders[];
  /** What to do in place of taking spans, from now on. */
  rude: ((response: ServerResponse) => void) | undefined;
  close(): Promise<void>;
}

/** A collector of OTLP over HTTP that takes nothing which is not as the standard has it in JSON. */
export async function startCollector(): Promise<TraceCollector> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (collector.rude) return collector.rude(response);
      const text = Buffer.concat(chunks).toString();
      collector.headers.push(request.headers);
      collector.bodies.push(text);
      try {
        assert.deepEqual([request.method, request.url], ['POST', '/v1/traces']);
        assert.equal(request.headers['content-type'], 'application/json');
        collector.spans.push(...spansIn(JSON.parse(text)));
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"partialSuccess":{}}');
      } catch (error) {
        faults.push(error as Error);
        response.writeHead(400).end();
      }
    });
  });
  const faults: Error[] = [];
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const collector: TraceCollector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: [],
    bodies: [],
    headers: [],
    rude: undefined,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      assert.deepEqual(faults, [], 'what was posted is as the standard has it');
    },
  };
  return collector;
}

type Json = Record<string, unknown>;

function spansIn(body: unknown): CollectedSpan[] {
  demandMembers(body, ['resourceSpans']);
  return (body as { resourceSpans: unknown[] }).resourceSpans.flatMap((part) => {
    demandMembers(part, ['resource', 'scopeSpans']);
    const { resource, scopeSpans } = part as { resource: Json; scopeSpans: unknown[] };
    demandMembers(resource, ['attributes']);
    const service = attributesIn(resource['attributes'])['service.name'];
    return scopeSpans.flatMap((group) => {
      demandMembers(group, ['scope', 'spans']);
      demandMembers((group as Json)['scope'], ['name', 'version']);
      return (group as { spans: unknown[] }).spans.map((span) => ({ ...spanIn(span), service }));
    });
  });
}

function spanIn(span: unknown): Omit<CollectedSpan, 'service'> {
  const all = ['traceId', 'spanId', 'parentSpanId', 'name', 'kind', 'startTimeUnixNano', 'endTimeUnixNano', 'attributes', 'status'];
  demandMembers(span, all, ['parentSpanId']);
  const { traceId, spanId, parentSpanId, name, kind, startTimeUnixNano, endTimeUnixNano, attributes, status } = span as Record<
    string,
    string
  > & {
    kind: unknown;
    status: Json;
  };
  assert.match(traceId ?? '', /^(?!0{32})[\da-f]{32}$/);
  assert.match(spanId ?? '', /^(?!0{16})[\da-f]{16}$/);
  if (parentSpanId !== undefined) assert.match(parentSpanId, /^(?!0{16})[\da-f]{16}$/);
  assert.ok(typeof name === 'string' && name.length > 0);
  assert.ok(Number(kind) >= 1 && Number(kind) <= 5);
  // 64 bits are text in JSON.
  for (const time of [startTimeUnixNano, endTimeUnixNano]) assert.match(time as string, /^1\d{18}$/);
  const [start, end] = [BigInt(startTimeUnixNano as string), BigInt(endTimeUnixNano as string)];
  assert.ok(start <= end);
  const { code, message, ...rest } = status;
  assert.deepEqual(rest, {});
  assert.ok(code === undefined || code === 2);
  return {
    traceId: traceId as string,
    spanId: spanId as string,
    parentSpanId,
    name,
    kind: Number(kind),
    start,
    end,
    attributes: attributesIn(attributes),
    failed: code === 2 ? String(message) : undefined,
  };
}

function attributesIn(attributes: unknown): Json {
  assert.ok(Array.isArray(attributes));
  return Object.fromEntries(
    attributes.map((attribute: unknown) => {
      demandMembers(attribute, ['key', 'value']);
      const { key, value } = attribute as { key: string; value: Json };
      const [[kind, inner] = ['', undefined], ...more] = Object.entries(value);
      assert.deepEqual(more, []);
      const types: Record<string, string> = { stringValue: 'string', boolValue: 'boolean', intValue: 'string', doubleValue: 'number' };
      assert.equal(typeof inner, types[kind], kind);
      if (kind === 'intValue') assert.match(String(inner), /^-?\d+$/);
      return [key, kind === 'intValue' ? Number(inner) : inner];
    }),
  );
}

function demandMembers(value: unknown, members: readonly string[], optional: readonly string[] = []): void {
  assert.ok(typeof value === 'object' && value !== null, JSON.stringify(value));
  const names = Object.keys(value);
  assert.deepEqual(
    names.filter((name) => !members.includes(name)),
    [],
  );
  assert.deepEqual(
    members.filter((name) => !names.includes(name) && !optional.includes(name)),
    [],
  );
}
