import type { UndoneStream } from '../../../connectors/undo.ts';
import { type Route, route } from '../../../http/route.ts';
import { JsonText, Named, Nullable, OneOf, Strict, Success } from '../../../http/schemas.ts';
import { notFound } from '../../../lib/errors.ts';
import { isId } from '../../../lib/ids.ts';
import { Type } from '../../../lib/schema.ts';
import { renderRun, type UndoneRun } from '../rows/run-row.ts';
import { EXAMPLE_RUN, RowLeft, Run, UNDO_COUNTS } from '../schemas.ts';
import { runFor } from '../told/veil.ts';
import type { RunWatch } from '../told/watch.ts';
import { createUndoService, type UndoOptions } from './service.ts';
import { pausedWords, type UndoCounts, underWayWords, undoneWords } from './words.ts';

const Row = Nullable(
  Type.Object({}, { additionalProperties: true, description: 'The values of a row, as text; null where there is none.' }),
);

const StreamPreview = Named('UndoPreviewStream', {
  target: Type.String({ description: 'The stream at the target.' }),
  ...UNDO_COUNTS,
  samples: Type.Array(
    Strict({
      change: OneOf(['insert', 'update', 'delete'], { description: 'What undoing the run would do to the row.' }),
      key: Row,
      before: Row,
      after: Row,
    }),
    { description: 'Some of the rows that would be restored or removed: as they are, and as they would be.' },
  ),
  rows_left: Type.Array(RowLeft, { description: 'Some of those that would be left: 100 at most.' }),
});

const UndoPreview = Named('UndoPreview', { ...UNDO_COUNTS, streams: JsonText(Type.Array(StreamPreview)) });

const EXAMPLE_COUNTS: UndoCounts = { restored: 3, removed: 12, left: 0 };

interface Options extends UndoOptions {
  watch: RunWatch;
}

export function undoRoutes({ watch, ...options }: Options): Route[] {
  const undo = createUndoService(options);
  return [
    route({
      method: 'POST',
      path: '/api/v1/datasync/runs/{id}/undo',
      scope: 'datasync:write',
      tag: 'Runs',
      summary: 'Undo a run',
      description:
        'Gives the rows of the target back what they were before the run, in one transaction of the target: those that it inserted go, those that it changed have their old values, those that it removed come back. A row that is not as the run has left it was changed by others since: it is left, and listed. With `preview` nothing is changed, and the answer tells what would be. It takes `undo` in the definition, from before the run on. Runs are undone newest first. The synchronization is paused with it, and must have no run under way. A run that was undone already is answered as it was. What takes longer than 30 seconds goes on after the answer, which says so: the run has `undone` when it is done.',
      params: Strict({ id: Type.String({ description: 'The id of the run.' }) }),
      body: Strict({ preview: Type.Optional(Type.Boolean({ default: false, description: 'Only show what would be done.' })) }),
      bodyOptional: true,
      answer: Success(
        Strict({
          run: Run,
          preview: Type.Optional(UndoPreview),
          message: Type.String({ description: 'What was done, and what follows from it.' }),
        }),
      ),
      errors: ['NOT_FOUND', 'CONFLICT'],
      examples: {
        body: { preview: true },
        answer: {
          success: true,
          data: {
            run: EXAMPLE_RUN,
            preview: { ...EXAMPLE_COUNTS, streams: [] },
            message: `${undoneWords(EXAMPLE_COUNTS, true)} ${pausedWords(true)}`,
          },
        },
      },
      handle: async ({ params, body, principal }) => {
        if (!isId('run', params.id)) throw notFound('run', params.id);
        if (body?.preview === true) {
          const { run, streams } = await undo.preview(principal, params.id);
          principal.tellRead({ action: 'run.undo_previewed', objectId: run.id, rows: shownRows(streams) });
          const counts = totals(streams);
          const preview = { ...counts, streams: JSON.stringify(streams.map(shownStream)) };
          const message = `${undoneWords(counts, true)} ${pausedWords(true)}`;
          return { success: true as const, data: { run: renderRun(runFor(principal, run)), preview, message } };
        }
        const run = await undo.undo(principal, params.id);
        watch.changed(run.id);
        const undone = run.undone === null ? undefined : (JSON.parse(run.undone) as UndoneRun);
        const message = undone ? `${undoneWords(undone)} ${pausedWords(false)}` : underWayWords(run.id);
        return { success: true as const, data: { run: renderRun(runFor(principal, run)), message } };
      },
    }),
  ];
}

function shownStream({ target, restored, removed, left, rows_left, samples = [] }: UndoneStream) {
  return { target, restored, removed, left, samples, rows_left: rows_left.map((row) => ({ target, ...row })) };
}

function shownRows(streams: readonly UndoneStream[]): number {
  return streams.reduce((sum, { samples = [], rows_left }) => sum + samples.length + rows_left.length, 0);
}

function totals(streams: readonly UndoneStream[]): UndoCounts {
  const sum = (name: keyof UndoCounts): number => streams.reduce((total, stream) => total + stream[name], 0);
  return { restored: sum('restored'), removed: sum('removed'), left: sum('left') };
}
