import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../lib/errors.ts';
import { prefers } from '../negotiate.ts';
import { sendBytes } from '../connections/pieces.ts';
import { PAGE_HEADERS } from '../security-headers.ts';

/** Where the build of the dashboard lies: the same place beside the sources and beside what is built of them. */
const BUILT = new URL('../../../dashboard/dist/', import.meta.url);

/** The first parts of the addresses of its pages. Whatever else there is keeps its own answer, a 404 too. */
const PAGES = [
  'welcome',
  'map',
  'sources',
  'connectors',
  'syncs',
  'runs',
  'hooks',
  'logs',
  'metrics',
  'orders',
  'customers',
  'products',
  'webhooks',
  'alerts',
  'keys',
  'nodes',
  'audit',
] as const;

const MEDIA_TYPES: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};
/** A hashed name never stands for anything else. The few others are small and asked for again now and then. */
const CACHING = { assets: 'public, max-age=31536000, immutable', static: 'public, max-age=3600' } as const;

/**
 * Scripts and styles come from here only. Mantine puts a few style elements into the page: they carry the nonce of this
 * answer, which an attacker who smuggles one in cannot know.
 */
function policyWith(nonce: string): string {
  return (
    `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self'; font-src 'self'; connect-src 'self'; ` +
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
  );
}

/** The address of a page for people, where a program finds something else: a browser, which asks for HTML, is led past that. */
export function addressFor({ url = '', headers }: IncomingMessage): string {
  if (!url.startsWith('/metrics') || !prefers('text/html', headers.accept)) return url;
  return url.replace(/^\/metrics\/?(?=\?|$)/, '/metrics/page');
}

/** The web page at `/`, as it was built: without a key, as it holds nothing but the page; the data comes from the API. */
export function addDashboard(fastify: FastifyInstance): void {
  const built = createShelf();
  const page = async (_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const nonce = randomBytes(18).toString('base64url');
    const html = (await built('index.html')).toString().replaceAll('%NONCE%', nonce);
    return reply.headers({ ...PAGE_HEADERS, 'content-security-policy': policyWith(nonce) }).send(html);
  };
  fastify.get('/', page);
  for (const name of PAGES) {
    // A program finds something else there (see `addressFor`).
    if (name !== 'metrics') fastify.get(`/${name}`, page);
    fastify.get(`/${name}/*`, page);
  }
  for (const folder of ['assets', 'static'] as const) {
    fastify.get<{ Params: { file: string } }>(`/${folder}/:file`, async (request, reply) => {
      const { file } = request.params;
      const type = MEDIA_TYPES[/^[\w-][\w.-]*\.(\w+)$/.exec(file)?.[1] ?? ''];
      if (type === undefined) throw noSuchFile(folder, file);
      // A typeface is packed by itself.
      const encoding = file.endsWith('.woff2') ? undefined : encodingFor(request.headers['accept-encoding']);
      const bytes = await built(`${folder}/${file}${encoding?.suffix ?? ''}`).catch(() => {
        throw noSuchFile(folder, file);
      });
      reply.headers({ 'content-type': type, 'cache-control': CACHING[folder], vary: 'accept-encoding' });
      if (encoding) reply.header('content-encoding', encoding.name);
      return sendBytes(reply, bytes);
    });
  }
}

/** Every file was also written compressed when it was built. */
const ENCODINGS = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const;

function encodingFor(accepted = ''): (typeof ENCODINGS)[number] | undefined {
  const names = new Set(
    accepted
      .split(',')
      .filter((part) => !/;\s*q=0(\.0*)?\s*$/.test(part))
      .map((part) => part.split(';')[0]?.trim().toLowerCase()),
  );
  return ENCODINGS.find(({ name }) => names.has(name));
}

/** So long a file is given out as it was read: the page may be built anew beside a service that runs. */
const FRESH_FOR = 1_000;

/** The files of the build, each in memory once, however many ask for it and however long they take. */
function createShelf(): (path: string) => Promise<Buffer> {
  const files = new Map<string, { bytes: Promise<Buffer>; until: number }>();
  return (path) => {
    const now = performance.now();
    const known = files.get(path);
    if (known && known.until > now) return known.bytes;
    const bytes = readFile(new URL(path, BUILT)).catch(() => {
      files.delete(path);
      throw notBuilt();
    });
    // A hashed name never stands for anything else.
    files.set(path, { bytes, until: path.startsWith('assets/') ? Infinity : now + FRESH_FOR });
    return bytes;
  };
}

function notBuilt(): AppError {
  return new AppError(
    'NOT_FOUND',
    'The dashboard is not built here: `npm start` does it, and `npm run dashboard:build`. The API reference is at /docs.',
    { reason: 'not built' },
  );
}

function noSuchFile(folder: string, file: string): AppError {
  return new AppError('NOT_FOUND', 'There is no such file of the dashboard. Load the page again: it may be a newer one.', {
    field: 'path',
    reason: `unknown path /${folder}/${file.slice(0, 100)}`,
  });
}
