import type { Connector } from '../session.ts';
import { CHECK_TIMEOUT } from '../contract.ts';
import { OutsideError } from '../../outside/errors.ts';
import { listRelations, toStream } from './catalogue/relations.ts';
import { check } from './check.ts';
import { linksOf } from './wire/links.ts';
import { type PostgresConfig, manifest } from './manifest.ts';
import { changeLog } from './log/log.ts';
import { missingForLog } from './log/prepared.ts';
import { digesting } from './read/digests.ts';
import { ranges } from './read/ranges.ts';
import { read } from './read/read.ts';
import { takeBack } from '../sql-target/undo/take-back.ts';
import { forgetRuns, undoDialect } from './undo/undo.ts';
import { openApplier } from './apply/open.ts';
import { complete } from './structure/complete.ts';
import { connect } from './structure/connect.ts';
import { describe } from './structure/describe.ts';
import { openWriter } from './write/write.ts';

/** Where a stream without a schema is looked for. */
function homeOf({ schemas }: PostgresConfig): string {
  return schemas?.[0] ?? 'public';
}

export const connector: Connector<PostgresConfig> = {
  manifest,
  open: async (config, context) => {
    const links = linksOf(config, context);
    const closing = new AbortController();
    return {
      check: () => {
        const limit = AbortSignal.timeout(CHECK_TIMEOUT - 500);
        return links
          .use('read', limit, async (link) => {
            const report = await check(link, config);
            // Who names a publication wants to follow changes. To others it does not matter what is missing for that.
            const warnings = [...report.warnings, ...(config.publication ? await missingForLog(link) : [])];
            // It is not used for work after: its time limit is short.
            link.destroy();
            return { ...report, warnings };
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
      digests: digesting(links, homeOf(config)),
      write: (request) => openWriter(links, request, homeOf(config)),
      apply: (request) => openApplier(links, request, homeOf(config)),
      log: changeLog({ config, context, links, home: homeOf(config), closed: closing.signal, askedEnd: 0n, mayTellEarly: true }),
      structure: {
        describe: (streams, signal) => describe(links, streams, homeOf(config), signal),
        complete: (stream, signal) => complete(links, stream, homeOf(config), signal),
        connect: (streams, signal) => connect(links, streams, homeOf(config), signal),
      },
      undo: {
        undo: (request) => links.use('write', undefined, (link) => takeBack(undoDialect(link), request)),
        forget: (request) => links.use('write', undefined, (link) => forgetRuns(link, request)),
      },
      close: async () => {
        closing.abort();
        links.close();
      },
    };
  },
};
