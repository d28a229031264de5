import { Nullable, SpanInput, Strict } from '../../http/schemas.ts';
import { Type } from '../../lib/schema.ts';

const Keep = SpanInput('12h or 7d; at least 1s, at most 366d', {
  description: 'For how long: a number and `s`, `m`, `h` or `d`; at most 366d.',
  examples: ['7d'],
});
const MostRows = Type.Integer({
  minimum: 1,
  maximum: 100_000_000,
  default: 1_000_000,
  description: 'A run that changes more rows of a stream is not kept, and cannot be undone.',
});
const WORDS =
  'Keeps what each run replaces at the target, beside the tables and in the same transactions, so that runs can be undone. Null when nothing is kept. Only where the target is a database that can (`abilities.undo`), and for streams with a key.';

/** What is kept of runs, as it is asked for. */
export const NewUndoSchema = Nullable(Strict({ keep: Keep, max_rows: Type.Optional(MostRows) }, { description: WORDS }));
/** The same, as it is shown: with what was left out. */
export const UndoSchema = Nullable(Strict({ keep: Keep, max_rows: MostRows }, { description: WORDS }));
