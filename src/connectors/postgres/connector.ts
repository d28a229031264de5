import type { Connector } from '../contract.ts';
import { CHECK_TIMEOUT } from '../contract.ts';
import { OutsideError } from '../../outside/errors.ts';
import { listRelations, toStream } from './catalogue/relations.ts';
import { check } from './check.ts';
import { linksOf } from './wire/links.ts';
import { type PostgresConfig, manifest } from './manifest.ts';
import { ranges } from './read/ranges.ts';
import { read } from './read/read.ts';
import { openWriter } from './write/write.ts';

/** Where a stream without a schema is looked for. */
function homeOf({ schemas }: PostgresConfig): string {
  return schemas?.[0] ?? 'public';
}

export const connector: Connector<PostgresConfig> = {
  manifest,
  open: async (config, context) => {
    const links = linksOf(config, context);
    return {
      check: () => {
        const limit = AbortSignal.timeout(CHECK_TIMEOUT - 500);
        return links
          .use('read', limit, async (link) => {
            const report = await check(link, config);
            // It is not used for work after: its time limit is short.
            link.destroy();
            return report;
          })
          .catch((error: unknown) => {
            if (!limit.aborted || context.signal.aborted) throw error;
            throw new OutsideError('transient', 'TIMEOUT', `${config.host}:${config.port ?? 5432} did not answer in time.`, {
              field: 'host',
              hint: 'Check the address, and whether the server is overloaded.',
            });
          });
      },
      discover: (names) =>
        links.use('read', undefined, async (link) => {
          const relations = await listRelations(link, config.schemas ?? [], names);
          return relations.filter((relation) => relation.canRead || relation.canWrite).map(toStream);
        }),
      read: (request) => read(links, request, homeOf(config)),
      ranges: (request, rows) => ranges(links, request, rows, homeOf(config)),
      write: (request) => openWriter(links, request, homeOf(config)),
      close: async () => links.close(),
    };
  },
};
