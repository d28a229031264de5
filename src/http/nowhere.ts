import type { FastifyRequest } from 'fastify';
import { AppError } from '../lib/errors.ts';

interface Place {
  method: string;
  path: string;
}

/** Why a request found no route: a known path with another method is 405 and says what it takes, everything else 404. */
export function refusalOf(
  routes: readonly Place[],
  nothingElse = 'There is nothing at this path. The paths are listed at /docs.',
): (request: FastifyRequest, path?: string) => AppError {
  const patterns = routes.map((place) => ({ ...place, pattern: patternOf(place.path) }));
  const words = wordsIn(routes);
  return (request, path = pathOf(request.url)) => {
    const isWord = words.has(path.replace(/\/$/, ''));
    const found = patterns.filter((place) => place.pattern.test(path) && !(isWord && hasOurId(place)));
    const methods = new Set(found.map(({ method }) => method));
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
      `${request.method} is not possible here, but ${allow} can be used.`,
      { reason: `only ${allow}` },
      { allow },
    );
  };
}

/**
 * What the router takes for an id and is none: `/orders/batch` takes `POST`, and no order has the id `batch`. With other methods such a path is
 * refused like any that does not take them.
 */
export function wordsTakenForIds(routes: readonly Place[]): Place[] {
  const taken = new Set(routes.map(({ method, path }) => `${method} ${path}`));
  return [...wordsIn(routes)].flatMap((path) =>
    routes
      .filter((place) => hasOurId(place) && patternOf(place.path).test(path) && !taken.has(`${place.method} ${path}`))
      .map(({ method }) => ({ method, path })),
  );
}

/** Ids that we make begin with what they are of, and so are never a word of a path. What callers name themselves, such as `{product_id}`, may be. */
function hasOurId({ path }: Place): boolean {
  return path.includes('{id}');
}

/** The paths that have no parameters. */
function wordsIn(routes: readonly Place[]): Set<string> {
  return new Set(routes.flatMap(({ path }) => (path.includes('{') ? [] : [path])));
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}/?$`);
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
