import { type Route, route } from '../../../http/route.ts';
import { Nullable, OneOf, Strict, Success } from '../../../http/schemas.ts';
import { isId } from '../../../lib/ids.ts';
import { notFound } from '../../../lib/errors.ts';
import { Type } from '../../../lib/schema.ts';
import type { UndoneStream } from '../../../connectors/undo.ts';
import { renderRun } from '../rows/run-row.ts';
import { EXAMPLE_RUN, RowLeft, Run, UNDO_COUNTS } from '../schemas.ts';
import { runFor } from '../told/veil.ts';
import type { RunWatch } from '../told/watch.ts';
import { createUndoService, type UndoOptions } from './service.ts';

const Row = Nullable(
  Type.Object({}, { additionalProperties: true, description: 'The values of a row, as text; null where there is none.' }),
);

const UndoPreview = Strict({
  ...UNDO_COUNTS,
  streams: Type.Array(
    Strict({
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
    }),
  ),
});

const PAUSED =
  'Its synchronization is paused, as the next run would do the same again. Correct what was wrong, and resume it. The streams of the run are then read from the start.';

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
        'Gives the rows of the target back what they were before the run, in one transaction of the target: those that it inserted go, those that it changed have their old values, those that it removed come back. A row that is not as the run has left it was changed by others since: it is left, and listed. With `preview` nothing is changed, and the answer tells what would be. It takes `undo` in the definition, from before the run on. Runs are undone newest first. The synchronization is paused with it, and must have no run under way. A run that was undone already is answered as it was.',
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
            preview: { restored: 3, removed: 12, left: 0, streams: [] },
            message: words({ restored: 3, removed: 12, left: 0 }, true),
          },
        },
      },
      handle: async ({ params, body, principal }) => {
        if (!isId('run', params.id)) throw notFound('run', params.id);
        const isPreview = body?.preview === true;
        const { run, streams } = isPreview ? await undo.preview(principal, params.id) : await undo.undo(principal, params.id);
        if (isPreview) principal.tellRead({ action: 'run.undo_previewed', objectId: run.id, rows: shownRows(streams) });
        const shown = renderRun(runFor(principal, run));
        const counts = isPreview ? totals(streams) : (shown.undone ?? totals(streams));
        if (!isPreview) watch.changed(run.id);
        return {
          success: true as const,
          data: {
            run: shown,
            ...(isPreview && { preview: { ...counts, streams: streams.map(shownStream) } }),
            message: words(counts, isPreview),
          },
        };
      },
    }),
  ];
}

function shownStream({ target, restored, removed, left, rows_left, samples = [] }: UndoneStream) {
  return {
    target,
    restored,
    removed,
    left,
    samples: samples.map((sample) => ({ ...sample })),
    rows_left: rows_left.map((row) => ({ target, ...row })),
  };
}

function shownRows(streams: readonly UndoneStream[]): number {
  return streams.reduce((sum, { samples = [], rows_left }) => sum + samples.length + rows_left.length, 0);
}

type Counts = Pick<UndoneStream, 'restored' | 'removed' | 'left'>;

function totals(streams: readonly UndoneStream[]): Counts {
  const sum = (name: keyof Counts): number => streams.reduce((total, stream) => total + stream[name], 0);
  return { restored: sum('restored'), removed: sum('removed'), left: sum('left') };
}

function words({ restored, removed, left }: Counts, isPreview: boolean): string {
  const rows = (n: number): string => `${n} ${n === 1 ? 'row' : 'rows'}`;
  const done = isPreview
    ? `${rows(restored)} would be restored and ${rows(removed)} removed.`
    : `${rows(restored)} restored and ${rows(removed)} removed.`;
  const verb = isPreview ? 'would be' : left === 1 ? 'was' : 'were';
  const others = left === 0 ? '' : ` ${rows(left)} ${verb} left, as others have changed ${left === 1 ? 'it' : 'them'} since.`;
  return `${done}${others} ${isPreview ? PAUSED.replace('is paused', 'would be paused') : PAUSED}`;
}
