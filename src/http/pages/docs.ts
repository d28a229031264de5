import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import Fastify, { type FastifyInstance } from 'fastify';
import { JSON_TYPE } from '../add-route.ts';
import { sendBytes } from '../connections/pieces.ts';
import { PAGE_HEADERS } from '../security-headers.ts';

// Scalar brings its own styles, which need 'unsafe-inline'; scripts come from here only, and nothing from elsewhere.
const DOCS_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

const SETUP = `Scalar.createApiReference('#reference', {
  url: '/openapi.json', withDefaultFonts: false, telemetry: false, hideClientButton: true, showDeveloperTools: 'never', agent: { disabled: true }, mcp: { disabled: true },
});
`;

const PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Syncline API</title></head>
<body><div id="reference"></div><script src="/docs/scalar.js"></script><script src="/docs/setup.js"></script></body>
</html>
`;

/**
 * `/openapi.json`, `/docs` which shows it, and the schema of configuration files: all without a key and without anything from the internet. Most
 * processes never need the documents: each is made when it is first asked for.
 */
export function addDocs(fastify: FastifyInstance, document: () => object, configSchema: () => object): void {
  let json: Buffer | undefined;
  let bundle: Promise<Buffer> | undefined;
  let schema: Buffer | undefined;

  fastify.get('/openapi.json', (_request, reply) => {
    json ??= Buffer.from(JSON.stringify(document()));
    return sendBytes(reply.header('content-type', JSON_TYPE), json);
  });
  fastify.get('/config.schema.json', (_request, reply) => {
    schema ??= Buffer.from(JSON.stringify(configSchema()));
    return sendBytes(reply.header('content-type', JSON_TYPE), schema);
  });
  fastify.get('/docs', (_request, reply) => reply.headers({ ...PAGE_HEADERS, 'content-security-policy': DOCS_POLICY }).send(PAGE));
  fastify.get('/docs/setup.js', (_request, reply) => reply.header('content-type', 'text/javascript; charset=utf-8').send(SETUP));
  fastify.get('/docs/scalar.js', async (_request, reply) => {
    const script = await (bundle ??= loadScalar());
    reply.headers({
      'content-type': 'text/javascript; charset=utf-8',
      'content-encoding': 'gzip',
      'cache-control': 'private, max-age=3600',
    });
    return sendBytes(reply, script);
  });
}

/** Several megabytes that most processes never need: taken from the package when the page is first opened. */
async function loadScalar(): Promise<Buffer> {
  const { default: plugin } = await import('@scalar/fastify-api-reference');
  const shelf = Fastify();
  await shelf.register(plugin, { routePrefix: '/docs', configuration: { url: '/openapi.json' } });
  const { statusCode, payload } = await shelf.inject('/docs/js/scalar.js');
  await shelf.close();
  if (statusCode !== 200) throw new Error(`The API reference could not be loaded from its package (${statusCode}).`);
  // Elsewhere: in this thread it would hold up every request for a moment.
  return promisify(gzip)(payload);
}
