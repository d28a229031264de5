import { Named, Nullable, OneOf, SpanInput, Strict, Time } from '../../http/schemas.ts';
import { Type } from '../../lib/schema.ts';
import { EXAMPLE_RUN, ProofResultSchema } from '../runs/schemas.ts';

const Every = SpanInput('30m, 24h or 7d; at least 1m, at most 366d', {
  description: 'How often: a number and `s`, `m`, `h` or `d`; at least 1m.',
  examples: ['24h'],
});
/** How often both ends are compared by themselves. */
export const VerifySchema = Nullable(
  Strict({ every: Every }, { description: 'Compares the contents of both ends by itself, so often. Null: only when it is asked for.' }),
);

/** What was found when they were compared last. */
export const VerifiedSchema = Nullable(
  Named(
    'Verified',
    {
      at: Time('When it was found.'),
      result: ProofResultSchema,
      rows: Type.Integer({ minimum: 0, description: 'Rows of the source that belong at the target, of all streams.' }),
      digest: Type.String({ description: 'SHA-256 of these rows; of several streams that of their digests.' }),
      missing: Type.Integer({ minimum: 0 }),
      extra: Type.Integer({ minimum: 0 }),
      different: Type.Integer({ minimum: 0 }),
      run_id: Type.String({ description: 'The run that found it, with samples.' }),
      since: Nullable(
        Strict(
          {
            at: Time('When that was.'),
            by: OneOf(['run', 'undo'], { description: 'Whether a run has written, or was undone.' }),
            run_id: Type.String({ description: 'Which one.' }),
          },
          {
            description:
              'What was written to the target since then, so that it is not known whether it still holds; null while it is the last that is known. A run puts in doubt what differed, an undo whatever was found.',
          },
        ),
      ),
    },
    { description: 'What was found when all streams were compared last, by a verify or a repair; null before the first.' },
  ),
);

export const EXAMPLE_VERIFIED = {
  at: '2026-11-01T09:27:00.000Z',
  result: 'equal',
  rows: 1200,
  digest: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  missing: 0,
  extra: 0,
  different: 0,
  run_id: EXAMPLE_RUN.id,
  since: null,
};
