import { Chip, Group, List, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { CODE_STYLES } from '../../../parts/form/code-styles.ts';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useApi } from '../../../api/queries.ts';
import type { Source } from '../../../api/resources.ts';
import { useSyncNames } from '../../../api/use-sync-names.ts';
import { faultsByField } from '../../../parts/form/faults.ts';
import { formatMoment } from '../../../parts/words/format.ts';
import { RelativeTime } from '../../../parts/words/relative-time.tsx';
import { Section } from '../../../parts/page/section.tsx';
import { cronOf, DAYS, type Schedule, scheduleWords, type Weekly, weeklyOf } from '../schedule-words.ts';
import { useConnectors } from '../../sources/connectors.ts';
import type { SyncDraft } from './draft.ts';
import { AfterField, EveryFields, ExpectEvery } from './schedule-fields.tsx';
import { OWN_ZONE, ZONES } from '../../../parts/form/time-zones.ts';

type Kind = 'manual' | 'interval' | 'weekly' | 'cron' | 'on_change' | 'after';

const KINDS: Record<Kind, string> = {
  manual: 'Manual',
  interval: 'Interval',
  weekly: 'Daily or weekly',
  cron: 'Cron expression',
  on_change: 'On every change',
  after: 'After another synchronization',
};
const START: Record<Kind, Schedule> = {
  manual: { type: 'manual' },
  interval: { type: 'interval', every: '15m' },
  weekly: { type: 'cron', expression: '0 6 * * *', timezone: OWN_ZONE },
  cron: { type: 'cron', expression: '0 6 * * 1-5', timezone: OWN_ZONE },
  on_change: { type: 'on_change' },
  after: { type: 'after', sync_id: '' },
};

interface SchedulePartProps {
  draft: SyncDraft;
  source: Source | undefined;
  /** The synchronization that is changed; none for a new one. */
  self: string | undefined;
  faults: ReadonlyMap<string, string>;
  onChange: (part: Pick<SyncDraft, 'schedule'> | Pick<SyncDraft, 'expectEvery'>) => void;
}

/** When it runs, in words, with the times that come next, and how often it has to. What is live runs all the time. */
export function SchedulePart(props: SchedulePartProps) {
  return props.draft.live ? null : <Schedules {...props} />;
}

function Schedules({ draft, source, self, faults: saved, onChange: change }: SchedulePartProps) {
  const { names, nameOf } = useSyncNames();
  const onChange = (schedule: Schedule): void => change({ schedule });
  const tellsChanges = useConnectors().byType.get(source?.type ?? '')?.abilities.tells_changes === true;
  // What the service takes until the user chooses.
  const schedule: Schedule = draft.schedule ?? { type: tellsChanges ? 'on_change' : 'manual' };
  // An expression that is as simple as a time and some days may still be wanted as an expression.
  const [asCron, setAsCron] = useState(false);
  const kind: Kind = schedule.type === 'cron' && !asCron && weeklyOf(schedule.expression) ? 'weekly' : schedule.type;
  const kinds = Object.entries(KINDS).filter(([value]) => value !== 'on_change' || tellsChanges || kind === 'on_change');
  const times = useNextTimes(schedule);
  const faults = times.error && schedule.type !== 'after' ? faultsByField(times.error) : saved;
  return (
    <Section title="Schedule" about={`${scheduleWords(schedule, nameOf)}.`}>
      <Stack gap="md">
        <NativeSelect
          label="Schedule type"
          maw={420}
          data={kinds.map(([value, label]) => ({ value, label }))}
          value={kind}
          error={faults.get('schedule.type')}
          onChange={({ currentTarget }) => {
            const chosen = currentTarget.value as Kind;
            setAsCron(chosen === 'cron');
            onChange(START[chosen]);
          }}
        />
        {schedule.type === 'interval' && (
          <EveryFields
            label="Every"
            every={schedule.every}
            fault={faults.get('schedule.every')}
            onChange={(every) => onChange({ type: 'interval', every })}
          />
        )}
        {schedule.type === 'cron' && <CronFields schedule={schedule} isWeekly={kind === 'weekly'} faults={faults} onChange={onChange} />}
        {schedule.type === 'after' && (
          <AfterField
            syncId={schedule.sync_id}
            names={new Map([...names].filter(([id]) => id !== self))}
            fault={faults.get('schedule.sync_id')}
            onChange={onChange}
          />
        )}
        <NextTimes times={times.error || schedule.type === 'after' ? [] : times.data?.data.next_times} />
        <ExpectEvery
          every={draft.expectEvery ?? null}
          fault={saved.get('expect_every')}
          onChange={(expectEvery) => change({ expectEvery })}
        />
      </Stack>
    </Section>
  );
}

function useNextTimes(schedule: Schedule) {
  // Compared as text: the object is another one each time.
  const [settled] = useDebouncedValue(JSON.stringify(schedule), 300);
  const asked = JSON.parse(settled) as Schedule;
  // What comes after another one has no times.
  return useApi('POST /api/v1/datasync/sync/schedule', { body: { schedule: asked, count: 3 } }, { enabled: asked.type !== 'after' });
}

function NextTimes({ times }: { times: readonly string[] | undefined }) {
  if (times === undefined || times.length === 0) return null;
  return (
    <div>
      <Text size="sm" c="dimmed">
        Next runs, in the time of this browser:
      </Text>
      <List size="sm">
        {times.map((time) => (
          <List.Item key={time}>
            {formatMoment(time)} (<RelativeTime time={time} />)
          </List.Item>
        ))}
      </List>
    </div>
  );
}

interface CronFieldsProps {
  schedule: Schedule & { type: 'cron' };
  isWeekly: boolean;
  faults: ReadonlyMap<string, string>;
  onChange: (schedule: Schedule) => void;
}

function CronFields({ schedule, isWeekly, faults, onChange }: CronFieldsProps) {
  const weekly = isWeekly ? weeklyOf(schedule.expression) : undefined;
  const zone = schedule.timezone ?? 'UTC';
  return (
    <Stack gap="md">
      {weekly ? (
        <WeeklyFields weekly={weekly} onChange={(changed) => onChange({ ...schedule, expression: cronOf(changed) })} />
      ) : (
        <TextInput
          label="Cron expression"
          description="Minute, hour, day of the month, month, day of the week; seconds may stand in front."
          maw={420}
          styles={CODE_STYLES}
          maxLength={200}
          value={schedule.expression}
          error={faults.get('schedule.expression')}
          onChange={({ currentTarget }) => onChange({ ...schedule, expression: currentTarget.value })}
        />
      )}
      <NativeSelect
        label="Time zone"
        maw={420}
        data={ZONES.includes(zone) ? ZONES : [zone, ...ZONES]}
        value={zone}
        error={faults.get('schedule.timezone')}
        onChange={({ currentTarget }) => onChange({ ...schedule, timezone: currentTarget.value })}
      />
    </Stack>
  );
}

// A week begins on Monday.
const WEEK = [1, 2, 3, 4, 5, 6, 0];

function WeeklyFields({ weekly, onChange }: { weekly: Weekly; onChange: (weekly: Weekly) => void }) {
  return (
    <>
      <TextInput
        label="Time"
        type="time"
        w={160}
        value={weekly.time}
        onChange={({ currentTarget }) => currentTarget.value !== '' && onChange({ ...weekly, time: currentTarget.value })}
      />
      <div role="group" aria-label="Days">
        <Chip.Group
          multiple
          value={weekly.days.map(String)}
          onChange={(days) => days.length > 0 && onChange({ ...weekly, days: days.map(Number) })}
        >
          <Group gap={6}>
            {WEEK.map((day) => (
              <Chip key={day} value={String(day)} size="sm">
                {DAYS[day]}
              </Chip>
            ))}
          </Group>
        </Chip.Group>
      </div>
    </>
  );
}
