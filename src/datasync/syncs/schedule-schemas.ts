import { SpanInput, Strict } from '../../http/schemas.ts';
import { Type } from '../../lib/schema.ts';
import type { StoredDefinition } from '../runs/rows/stored-definition.ts';
import { EXAMPLE_RUN } from '../runs/schemas.ts';

const schedule = Type.OneOf(
  [
    Strict({ type: Type.Literal('manual') }, { title: 'Manual' }),
    Strict(
      {
        type: Type.Literal('interval'),
        every: SpanInput('30s, 15m, 2h or 1d; at least 1s, at most 366d', {
          description: 'A number and `s`, `m`, `h` or `d`.',
          examples: ['15m'],
        }),
      },
      { title: 'Interval' },
    ),
    Strict(
      {
        type: Type.Literal('cron'),
        expression: Type.String({
          maxLength: 200,
          description: 'Minute, hour, day of month, month, day of week; with a sixth field in front, seconds.',
          examples: ['0 6 * * 1-5'],
        }),
        timezone: Type.Optional(
          Type.String({ maxLength: 100, description: 'A name of the IANA database.', default: 'UTC', examples: ['Europe/Berlin'] }),
        ),
      },
      { title: 'Cron' },
    ),
    Strict({ type: Type.Literal('on_change') }, { title: 'On change' }),
    Strict(
      {
        type: Type.Literal('after'),
        sync_id: Type.String({
          maxLength: 100,
          description: 'The synchronization that runs before this one.',
          examples: [EXAMPLE_RUN.sync_id],
        }),
      },
      { title: 'After' },
    ),
  ],
  {
    description:
      'When it runs. `on_change` runs as soon as something changes, and is for sources that tell so, such as the shop, and for live synchronizations (mode `cdc`), which have no other. `after` runs whenever a run of another synchronization has succeeded, also in part; circles are refused. Without it, `manual`; for the shop and for live ones, `on_change`.',
  },
);

/** When it runs: as it is asked for, and as it is shown. */
export const NewSchedule = Type.Named('NewSchedule', schedule);
export const Schedule = Type.Unsafe<StoredDefinition['schedule']>(Type.Named('Schedule', schedule));
