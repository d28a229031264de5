import type { FastifyRequest } from 'fastify';
import { AppError } from '../lib/errors.ts';

/** Why a request found no route: a known path with another method is 405 and says what it takes, everything else 404. */
export function refusalOf(
  routes: readonly { method: string; path: string }[],
  nothingElse = 'There is nothing at this path. The paths are listed at /docs.',
): (request: FastifyRequest) => AppError {
  const patterns = routes.map(({ method, path }) => ({ method, pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}/?$`) }));
  return (request) => {
    const path = pathOf(request.url);
    const methods = new Set<string>(patterns.flatMap(({ method, pattern }) => (pattern.test(path) ? [method] : [])));
    if (methods.size === 0) {
      return new AppError('NOT_FOUND', nothingElse, {
        field: 'path',
        reason: `unknown path ${path.slice(0, 200)}`,
      });
    }
    if (methods.has('GET')) methods.add('HEAD');
    const allow = [...methods].join(', ');
    return new AppError(
      'METHOD_NOT_ALLOWED',
      `${request.method} is not possible here; ${allow} is.`,
      { reason: `only ${allow}` },
      { allow },
    );
  };
}

/** The path as the router sees it: a proxy may send the whole address. */
function pathOf(url: string): string {
  return url.replace(/^https?:\/\/.*?\//, '/').split('?')[0] ?? '';
}

/** Whether this belongs to an area, however it is spelt: the router reads percent-encoded letters as the letters that they are. */
export function isApiPath(url: string): boolean {
  const path = pathOf(url).replace(/%([2-7][\da-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return path === '/api' || path.startsWith('/api/');
}
