import { type Route, route } from '../../http/route.ts';
import { Success } from '../../http/schemas.ts';
import { nextRun } from '../../jobs/schedule.ts';
import { type Clock, isoTime } from '../../lib/clock.ts';
import { invalidParams } from '../../lib/errors.ts';
import { shownStreams } from './render.ts';
import { EXAMPLE_SYNC, EXAMPLE_TRIED, ScheduleQuestion, ScheduleTimes, TriedSync, UnsavedSync } from './schemas.ts';
import { completeSchedule, scheduleFaults } from './form.ts';
import type { SyncService } from './service.ts';

const BASE = '/api/v1/datasync/sync';
const TAG = 'Synchronizations';

/** What helps to write a definition before it is saved. Nothing here stores or changes anything. */
export function trialRoutes({ clock, syncs }: { clock: Clock; syncs: SyncService }): Route[] {
  return [
    route({
      method: 'POST',
      path: `${BASE}/check`,
      scope: 'datasync:write',
      tag: TAG,
      summary: 'Try a definition before saving it',
      description:
        'Held against both systems as when it is created, with the same faults at the same places. Answers the streams with every default filled in and, when `sample_of` names a stream, some of its rows as they are read and as a run would write them. Nothing is stored or written. To try with the shop, the key needs the scopes of the shop too.',
      body: UnsavedSync,
      answer: Success(TriedSync),
      errors: ['CONFLICT'],
      examples: {
        body: {
          source_id: EXAMPLE_SYNC.source_id,
          target_id: EXAMPLE_SYNC.target_id,
          streams: [{ source: 'public.customers', fields: [{ from: 'id' }, { to: 'name', expression: 'first_name + " " + last_name' }] }],
          sample_of: 0,
          limit: 1,
        },
        answer: { success: true, data: EXAMPLE_TRIED },
      },
      handle: async ({ body, principal }) => {
        const { schedule, plans, warnings, plan, rows } = await syncs.tryOut(principal, body);
        if (plan) {
          const { source_id: objectId, streams, sample_of: place = 0 } = body;
          principal.tellRead({ action: 'source.sampled', objectId, rows: rows.length, details: { stream: streams[place]?.source } });
        }
        const sample = plan && {
          read: plan.sourceFields.map(({ name, type }) => ({ name, type })),
          written: plan.outputs.map(({ to, type }) => ({ name: to, type })),
          rows: rows.map(({ before, after, field, reason }) => ({
            before: JSON.stringify(before),
            after: after && JSON.stringify(after),
            field,
            reason,
          })),
        };
        return {
          success: true as const,
          data: {
            schedule,
            streams: shownStreams(plans.map(({ definition }) => definition)),
            warnings: [...warnings],
            sample: sample ?? null,
          },
        };
      },
    }),
    route({
      method: 'POST',
      path: `${BASE}/schedule`,
      scope: 'datasync:read',
      tag: TAG,
      summary: 'Preview the next times of a schedule',
      description: 'The next times from now on, or what is wrong with the schedule. Nothing is stored.',
      body: ScheduleQuestion,
      answer: Success(ScheduleTimes),
      examples: {
        body: { schedule: { type: 'cron', expression: '0 6 * * 1-5', timezone: 'Europe/Berlin' }, count: 2 },
        answer: {
          success: true,
          data: {
            schedule: { type: 'cron', expression: '0 6 * * 1-5', timezone: 'Europe/Berlin' },
            next_times: ['2026-11-02T05:00:00.000Z', '2026-11-03T05:00:00.000Z'],
          },
        },
      },
      handle: async ({ body: { schedule: given, count = 5 } }) => {
        const schedule = completeSchedule(given);
        const faults = scheduleFaults(schedule);
        if (faults.length > 0) throw invalidParams(faults);
        const times: number[] = [];
        for (let time = nextRun(schedule, clock()); time !== null && times.length < count; time = nextRun(schedule, time)) times.push(time);
        return { success: true as const, data: { schedule, next_times: times.map(isoTime) } };
      },
    }),
  ];
}
