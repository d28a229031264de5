import { type Route, route } from '../../http/route.ts';
import { Named, Success } from '../../http/schemas.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { Type } from '../../lib/schema.ts';
import { rootsOf, type RootsOptions } from '../../outside/roots.ts';
import { SAMPLE_FOLDER, writeSample } from './files.ts';

const Sample = Named('SampleFiles', {
  path: Type.String({
    description: 'The folder, as the configuration of a source of type `files` names it.',
    examples: [`${SAMPLE_FOLDER}/`],
  }),
  files: Type.Array(
    Named('SampleFile', {
      name: Type.String({ description: 'The stream that the file is.', examples: ['customers'] }),
      rows: Type.Integer({ description: 'How many rows it is written with.' }),
    }),
  ),
});

/** Sample data to try synchronizations with, for the first minutes. */
export function sampleRoutes({ clock, roots }: { clock: Clock; roots: RootsOptions }): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/v1/datasync/sample',
      scope: 'datasync:write',
      tag: 'Sources',
      summary: 'Write sample files to try things with',
      description:
        'A small shop as CSV files, in the first of the folders that connectors may touch (`SYNCLINE_FILE_ROOTS`), on the machine that answers. Files that are there already stay as they are. ' +
        'Nothing else is made: add a source of type `files` with the `path` of the answer.',
      answer: Success(Sample),
      errors: ['CONFLICT'],
      examples: { answer: { success: true, data: { path: `${SAMPLE_FOLDER}/`, files: [{ name: 'customers', rows: 400 }] } } },
      handle: async () => {
        const files = await writeSample(rootsOf(roots), clock()).catch((error: NodeJS.ErrnoException) => {
          if (error.code === undefined) throw error;
          throw new AppError(
            'CONFLICT',
            `The sample could not be written below ${roots.folders[0]} (${error.code}). Make the folder writable, or name another with SYNCLINE_FILE_ROOTS.`,
            {
              reason: 'the folder cannot be written to',
            },
          );
        });
        return { success: true as const, data: { path: `${SAMPLE_FOLDER}/`, files } };
      },
    }),
  ];
}
