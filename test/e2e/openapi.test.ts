import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Script } from 'node:vm';
import { statusOf } from '../../src/lib/errors.ts';
import { VERSION } from '../../src/version.ts';
import { openApiDocument } from '../../src/http/pages/openapi.ts';
import type { Route } from '../../src/http/route.ts';
import { Named } from '../../src/http/schemas.ts';
import { type TSchema, Type } from '../../src/lib/schema.ts';
import { faultsOf, resolve, type Schema } from '../support/json-schema.ts';
import {
  checkAnswer,
  checkRefusal,
  findOperation,
  type Media,
  type OpenApiDocument,
  type Operation,
  type ResponseDoc,
  responseOf,
} from '../support/openapi-check.ts';
import { type Service, startService } from '../support/service.ts';

// The document is made from the table of routes and knows nothing of the database, so one engine is enough here. That every
// answer is as documented is checked where answers are made: in the hostile tests, on both engines.
describe('the OpenAPI document', () => {
  let service: Service;
  let document: OpenApiDocument;
  let operations: { name: string; path: string; operation: Operation }[];
  before(async () => {
    service = await startService('sqlite');
    document = (await service.get('/openapi.json', { key: null })).body;
    operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, path, operation })),
    );
  });
  after(() => service.close());

  test('is OpenAPI 3.1 with what the standard demands at the top', () => {
    assert.match(document.openapi, /^3\.1\.\d+$/);
    assert.equal(document.info.version, VERSION);
    assert.partialDeepStrictEqual(document.info, { contact: { name: 'Syncline' }, license: { identifier: 'Apache-2.0' } });
    assert.deepEqual(Object.keys(document).sort(), ['components', 'info', 'openapi', 'paths', 'security', 'servers', 'tags']);
    for (const [path, item] of Object.entries(document.paths)) {
      assert.match(path, /^\//);
      for (const method of Object.keys(item)) assert.match(method, /^(get|put|post|patch|delete)$/);
    }
    assert.deepEqual(document.security, [{ key: [] }]);
    assert.partialDeepStrictEqual(document.components.securitySchemes, { key: { type: 'http', scheme: 'bearer' } });
  });

  test('has every route, and nothing else', () => {
    const routes = service.app.routes.map(({ method, path }) => `${method} ${path}`);
    assert.ok(routes.length > 0);
    const doors = service.app.doors.map(({ path }) => `POST ${path}`);
    assert.deepEqual(operations.map(({ name }) => name).sort(), [...routes, ...doors].sort());
    for (const { path } of service.app.doors) assert.deepEqual(findOperation(document, 'POST', path)?.security, []);
  });

  test('names every operation once, in one word', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    assert.equal(new Set(ids).size, ids.length, ids.join(', '));
    for (const id of ids) assert.match(id, /^[a-z][A-Za-z]+$/);
    // What is made of method and path stays as long as they do: programs are made of these names.
    for (const { name, operation } of operations)
      assert.equal(operation.operationId.toLowerCase(), name.toLowerCase().replace(/\/api\/v1|[ /{}_]/g, ''));
  });

  test('tells of every operation what it does and the scope it needs', () => {
    for (const { method, path, scope } of service.app.routes) {
      const operation = findOperation(document, method, path);
      assert.ok(operation?.summary, path);
      assert.equal(operation.tags.length, 1);
      const scopes = typeof scope === 'string' ? [scope] : scope;
      const told = operation.description.split('\n').at(-1) ?? '';
      assert.deepEqual(
        [...told.matchAll(/`([^`]+)`/g)].map((match) => match[1]),
        [...scopes],
        `${method} ${path}: ${told}`,
      );
    }
  });

  test('declares every parameter: those of the path, the query, and the headers', () => {
    for (const { method, path, params, query, headers } of service.app.routes) {
      const parameters = findOperation(document, method, path)?.parameters ?? [];
      const of = (place: string): string[] => parameters.filter((parameter) => parameter.in === place).map(({ name }) => name);
      const placeholders = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      assert.deepEqual(of('path'), placeholders, path);
      assert.deepEqual(of('path'), Object.keys(params?.properties ?? {}), path);
      assert.deepEqual(of('query'), Object.keys(query?.properties ?? {}), path);
      assert.deepEqual(of('header'), Object.keys(headers ?? {}), path);
      for (const parameter of parameters) {
        assert.ok(parameter.schema.type, `${path} ${parameter.name}`);
        assert.equal(parameter.required ?? false, parameter.in === 'path', `${path} ${parameter.name}`);
      }
    }
  });

  test('says what an Idempotency-Key has to be, as the service sees it', async () => {
    const keyed = operations.filter(({ operation }) => operation.parameters.some(({ name }) => name === 'Idempotency-Key'));
    assert.ok(keyed.length > 3);
    for (const { name, operation } of keyed) {
      const { schema } = operation.parameters.find((parameter) => parameter.name === 'Idempotency-Key') as Operation['parameters'][number];
      for (const key of ['k', 'two words', '~'.repeat(255), '~'.repeat(256), 'tab\there', 'caf\u00e9']) {
        const [method = '', path = ''] = name.split(' ');
        const body = findOperation(document, method, path)?.requestBody?.content['application/json']?.example;
        const { status, text } = await service.call(method, path.replace('{id}', 'ord_none'), {
          headers: { 'Idempotency-Key': key },
          body,
        });
        const isRefused = status === 400 && text.includes('printable ASCII');
        assert.equal(isRefused, faultsOf(schema, key, document).length > 0, `${name} with ${JSON.stringify(key)}: ${text}`);
      }
    }
  });

  test('says where any of several members will do, as the service sees it', async () => {
    const order = { customer_id: 'c', items: [{ product_id: 'p', quantity: 1, price: 2 }] };
    const stream = { source: 'products', fields: [{}] };
    const sync = { name: 'n', source_id: 'src_a', target_id: 'src_b', streams: [stream] };
    const choices: [path: string, body: object, fields: string, members: object, most: number][] = [
      ['/api/v1/orders/ord_none/refunds', {}, '', { amount: 1, lines: [{ line: 1 }] }, 2],
      ['/api/v1/orders', { ...order, taxes: [{ name: 'VAT' }] }, 'taxes[0]', { rate: 7, amount: 1 }, 2],
      ['/api/v1/orders', { ...order, discounts: [{ code: 'X' }] }, 'discounts[0]', { amount: 1, percent: 2 }, 1],
      ['/api/v1/webhooks/whk_none/replay', {}, '', { message_id: `evt_${'0'.repeat(26)}`, failed: true }, 1],
      ['/api/v1/datasync/sync/check', sync, 'streams[0].fields[0]', { from: 'name', expression: '1' }, 1],
    ];
    for (const [path, body, place, members, most] of choices) {
      const schema = findOperation(document, 'POST', path)?.requestBody?.content['application/json']?.schema ?? {};
      const names = Object.keys(members);
      for (const given of [[], [0], [1], [0, 1]]) {
        const asked = structuredClone(body);
        for (const at of given) memberAt(asked, place)[names[at] as string] = (members as Record<string, unknown>)[names[at] as string];
        const faults = faultsOf(schema, asked, document);
        const { text, body: answer } = await service.post(path, asked);
        const isRefused = new RegExp(
          `must have (either )?${names.join(' or ')}|must have exactly one of ${names[0]}|is mandatory, unless ${names[1]} is given`,
        ).test(text);
        assert.equal(isRefused, given.length === 0 || given.length > most, `${path} with ${JSON.stringify(asked)}: ${text}`);
        assert.equal(isRefused, faults.length > 0, `${path} with ${JSON.stringify(asked)}: ${faults.join()}`);
        if (isRefused) assert.ok(answer.error.details.field.startsWith(place), text);
      }
    }
  });

  test('shows a manifest that is answered as it says', async () => {
    const path = '/api/v1/datasync/sources/outline';
    const operation = findOperation(document, 'POST', path) as Operation;
    const { body } = await service.post(path, operation.requestBody?.content['application/json']?.example);
    assert.deepEqual(body, responseOf(document, operation, 200)?.content['application/json']?.example);
  });

  test('documents a body exactly where there is one, with an example that fits', () => {
    for (const { method, path, body, bodyOptional, takesLines } of service.app.routes) {
      const documented = findOperation(document, method, path)?.requestBody;
      assert.equal(documented !== undefined, body !== undefined, path);
      if (!documented) continue;
      assert.equal(documented.required, !bodyOptional, path);
      assert.equal('application/x-ndjson' in documented.content, takesLines ?? false, path);
      const media = documented.content['application/json'] as Media;
      assert.notEqual(media.example, undefined, `${method} ${path} has no example of a body`);
      assert.deepEqual(faultsOf(media.schema, media.example, document), [], path);
    }
  });

  test('documents success as 200 with a schema and an example that fits, and no other success', () => {
    for (const { name, operation } of operations) {
      const successes = Object.keys(operation.responses).filter((status) => status.startsWith('2'));
      assert.deepEqual(successes, ['200'], name);
      const { content = {} } = responseOf(document, operation, 200) ?? {};
      const media = (content['application/json'] ?? content['text/event-stream'] ?? content['text/csv'] ?? content['text/plain']) as Media;
      if ('application/json' in content) assert.deepEqual(media.schema.required?.slice(0, 2), ['success', 'data'], name);
      assert.notEqual(media.example, undefined, `${name} has no example of an answer`);
      assert.deepEqual(faultsOf(media.schema, media.example, document), [], name);
    }
  });

  test('documents every failure under its status, with its codes and an example of each that fits', () => {
    for (const { method, path, errors = [] } of service.app.routes) {
      const operation = findOperation(document, method, path) as Operation;
      const documented: string[] = [];
      for (const status of Object.keys(operation.responses)) {
        if (status === '200') continue;
        const { description, headers, content } = responseOf(document, operation, status) as ResponseDoc;
        assert.ok(headers?.['X-Request-Id'], `${path} ${status}`);
        if (['429', '503'].includes(status)) assert.ok(headers['Retry-After'], `${path} ${status}`);
        const { schema, examples = {} } = content['application/json'] as Media;
        const codes = Object.keys(examples);
        documented.push(...codes);
        assert.ok(codes.length > 0, `${path} ${status}`);
        for (const code of codes) {
          assert.equal(String(statusOf[code as keyof typeof statusOf]), status, `${path} ${code}`);
          assert.ok(description.includes(`\`${code}\``), `${path} ${code}`);
          const example = examples[code]?.value as { error: { code: string } };
          assert.equal(example.error.code, code);
          assert.deepEqual(faultsOf(schema, example, document), [], `${path} ${code}`);
        }
      }
      const everywhere = ['INVALID_PARAMS', 'UNAUTHORIZED', 'FORBIDDEN', 'RATE_LIMITED', 'INTERNAL_ERROR', 'UNAVAILABLE'];
      for (const code of [...everywhere, ...errors]) assert.ok(documented.includes(code), `${method} ${path}: ${code}`);
    }
  });

  test('tells what belongs under each tag, and where the service is', () => {
    const used = new Set(operations.flatMap(({ operation }) => operation.tags));
    assert.deepEqual(new Set(document.tags.map(({ name }) => name)), used);
    for (const { name, description } of document.tags) assert.match(description, /\.$/, name);
    assert.deepEqual(
      document.servers.map(({ url }) => url),
      ['/'],
    );
  });

  test('names what is answered and taken, once, and uses every name', () => {
    const text = JSON.stringify(document);
    const referred = new Set([...text.matchAll(/"\$ref":"#\/components\/(\w+)\/([\w-]+)"/g)].map(([, kind, name]) => `${kind}/${name}`));
    const { schemas, responses, headers } = document.components;
    const named = Object.entries({ schemas, responses, headers }).flatMap(([kind, parts]) =>
      Object.keys(parts).map((name) => `${kind}/${name}`),
    );
    assert.deepEqual([...referred].sort(), named.sort());
    for (const name of ['Order', 'Product', 'Customer', 'Source', 'Synchronization', 'Run', 'Webhook', 'Alert', 'Event', 'Key', 'Error'])
      assert.ok(schemas[name], name);
    for (const name of Object.keys(schemas)) assert.match(name, /^[A-Z][A-Za-z]+$/);
    for (const { name, operation } of operations) {
      const { schema } = responseOf(document, operation, 200)?.content['application/json'] ?? {};
      for (const part of partsOf(schema?.properties?.['data'] ?? {}))
        assert.ok(Object.keys(part.properties ?? {}).length < 5, `${name} answers something large that has no name`);
      for (const part of partsOf(operation.requestBody?.content['application/json']?.schema ?? {}))
        assert.ok(Object.keys(part.properties ?? {}).length < 5, `${name} takes something large that has no name`);
    }
  });

  test('lets answers grow within v1, and requests have nothing that is not known', () => {
    const seen = new Map<string, string>();
    const closed: string[] = [];
    const open: string[] = [];
    const walk = (schema: Schema, place: 'request' | 'answer', path: string): void => {
      if (schema.$ref !== undefined) {
        const before = seen.get(schema.$ref);
        seen.set(schema.$ref, before ?? place);
        if (before === undefined) walk(resolve(schema.$ref, document), place, schema.$ref);
        return;
      }
      const { additionalProperties, properties = {} } = schema;
      if (place === 'answer' && additionalProperties === false) closed.push(path);
      if (place === 'request' && Object.keys(properties).length > 0 && additionalProperties !== false) open.push(path);
      for (const [name, member] of Object.entries(properties)) walk(member, place, `${path}.${name}`);
      for (const part of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.items ? [schema.items] : [])])
        walk(part, place, path);
    };
    for (const { name, operation } of operations) {
      for (const status of Object.keys(operation.responses))
        for (const { schema } of Object.values(responseOf(document, operation, status)?.content ?? {})) walk(schema, 'answer', name);
      for (const { schema } of Object.values(operation.requestBody?.content ?? {})) walk(schema, 'request', name);
    }
    assert.deepEqual(closed, []);
    assert.deepEqual(open, []);
    assert.ok(seen.size > 50);
  });

  test('refuses two schemas of one name, and tags that nothing is said of', () => {
    const answering = (answer: TSchema): Route => ({ ...(service.app.routes[0] as Route), answer });
    const make = (routes: Route[], tags: Record<string, string>): object => openApiDocument({ routes, version: '0', tags });
    const routes = [answering(Named('Thing', { id: Type.String() })), answering(Named('Thing', { id: Type.Integer() }))];
    const tags = { [routes[0]?.tag ?? '']: 'Things.' };
    assert.throws(() => make(routes, tags), /Two schemas are called Thing/);
    assert.throws(() => make(routes.slice(0, 1), {}), /Nothing says what belongs under the tag/);
    assert.ok(make(routes.slice(0, 1), tags));
    const closed = Named('Thing', { id: Type.String() });
    assert.throws(() => make([{ ...answering(closed), method: 'POST', body: closed }], tags), /in requests and in answers/);
  });

  test('has no reference that leads nowhere, no pattern that is none, and no example that does not fit its schema', () => {
    let seen = 0;
    const walk = (node: unknown, place: string): void => {
      if (typeof node !== 'object' || node === null) return;
      const { pattern, examples } = node as Schema;
      if (typeof pattern === 'string') assert.doesNotThrow(() => new RegExp(pattern, 'u'), place);
      if (Array.isArray(examples)) {
        for (const example of examples) assert.deepEqual(faultsOf(node as Schema, example, document), [], place);
        seen += examples.length;
      }
      if ('$ref' in node) assert.deepEqual(Object.keys(node), ['$ref'], place);
      for (const [name, member] of Object.entries(node)) if (name !== 'example') walk(member, `${place}/${name}`);
    };
    walk(document, '#');
    assert.ok(seen > 10);
  });

  test('is checked by a checker that notices what is wrong', async () => {
    const reply = await service.get('/api/v1/orders');
    const check = (status: number, headers: Headers, body: unknown, path = '/api/v1/orders'): void =>
      checkAnswer(document, 'GET', path, status, headers, body);
    const headersWithout = (name: string): Headers => {
      const headers = new Headers(reply.headers);
      headers.delete(name);
      return headers;
    };
    check(200, reply.headers, reply.body);
    check(200, reply.headers, reply.body, '/api/v1/orders/?limit=1');
    assert.throws(() => check(200, reply.headers, reply.body, '/api/v1/nothing'), /is not documented/);
    assert.throws(() => check(204, reply.headers, reply.body), /204, which is not documented/);
    assert.throws(() => check(200, headersWithout('x-request-id'), reply.body), /x-request-id/);
    assert.throws(() => check(200, headersWithout('content-type'), reply.body), /as , which is not documented/);
    assert.throws(() => check(200, reply.headers, { ...reply.body, extra: 1 }), /extra is not documented/);
    assert.throws(() => check(200, reply.headers, { ...reply.body, total: '0' }), /total is no integer/);
    assert.throws(() => check(200, reply.headers, { ...reply.body, success: false }), /success is not true/);
    assert.throws(() => check(200, reply.headers, { ...reply.body, next_cursor: 1 }), /next_cursor is no string/);
    const order = { id: 'o', status: 'new', total: 1, created_at: '2026-11-01T09:30:00.000Z' };
    check(200, reply.headers, { ...reply.body, data: [order] });
    assert.throws(() => check(200, reply.headers, { ...reply.body, data: [{ ...order, status: 'old' }] }), /status is none of/);
    assert.throws(() => check(200, reply.headers, { ...reply.body, data: [{ ...order, created_at: '2026-11-01' }] }), /date-time/);

    const refused = await service.get('/api/v1/orders?nonsense=1');
    check(400, refused.headers, refused.body);
    checkRefusal(document, 400, refused.headers, refused.body);
    assert.throws(() => check(401, refused.headers, refused.body), /www-authenticate/);
    assert.throws(() => check(403, refused.headers, refused.body), /INVALID_PARAMS is not documented/);
    assert.throws(
      () => check(400, refused.headers, { success: false, error: { code: 'INVALID_PARAMS', message: '' } }),
      /details is missing/,
    );
    assert.throws(() => checkRefusal(document, 200, refused.headers, refused.body), /4xx/);
    assert.throws(() => faultsOf({ multipleOf: 1 } as Schema, 1, document), /does not know/);
  });
});

/** What a schema holds without a name: of a list its entries, of several kinds each of them. */
function partsOf(schema: Schema): Schema[] {
  const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.items ? [schema.items] : [])];
  return [schema, ...parts.flatMap(partsOf)];
}

describe('the API reference', () => {
  let service: Service;
  before(async () => {
    service = await startService('sqlite');
  });
  after(() => service.close());

  test('is one page that loads nothing from elsewhere and runs no script of its own', async () => {
    const page = await service.get('/docs', { key: null });
    assert.equal(page.status, 200);
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
    assert.doesNotMatch(page.text, /https?:|src="\/\/|href="\/\//);
    assert.doesNotMatch(page.text, /<script>|javascript:|\son\w+=/i);
    const sources = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]);
    assert.deepEqual(sources, ['/docs/scalar.js', '/docs/setup.js']);
    const directives = (page.headers.get('content-security-policy') ?? '').split('; ').map((part) => part.split(' '));
    const policy = Object.fromEntries(directives.map(([name = '', ...values]) => [name, values.join(' ')]));
    assert.equal(policy['default-src'], "'none'");
    assert.equal(policy['script-src'], "'self'");
    assert.equal(policy['connect-src'], "'self'");
    assert.equal(policy['frame-ancestors'], "'none'");
    for (const sourcesOf of Object.values(policy)) assert.doesNotMatch(sourcesOf, /https?:|\*|unsafe-eval/);
  });

  test('is served with its scripts, all of them JavaScript', async () => {
    for (const path of ['/docs/scalar.js', '/docs/setup.js']) {
      const script = await service.get(path, { key: null });
      assert.equal(script.status, 200, path);
      assert.match(script.headers.get('content-type') ?? '', /^text\/javascript/);
      // It can at least be compiled, which a page that says "not found" cannot.
      assert.doesNotThrow(() => new Script(script.text), path);
    }
    assert.match((await service.get('/docs/setup.js', { key: null })).text, /url: '\/openapi\.json'/);
    assert.ok((await service.get('/docs/scalar.js', { key: null })).text.length > 100_000);
  });
});

/** What is at a place such as `taxes[0]`. */
function memberAt(body: object, place: string): Record<string, unknown> {
  const steps = place.match(/\w+/g) ?? [];
  return steps.reduce((at, step) => at[step] as Record<string, unknown>, body as Record<string, unknown>);
}
