import { Chip, Group, List, NativeSelect, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useApi } from '../../../api/queries.ts';
import type { Source } from '../../../api/resources.ts';
import { faultsByField } from '../../../parts/form/faults.ts';
import { formatMoment } from '../../../parts/words/format.ts';
import { RelativeTime } from '../../../parts/words/relative-time.tsx';
import { Section } from '../../../parts/page/section.tsx';
import { cronOf, DAYS, type Schedule, scheduleWords, type Weekly, weeklyOf } from '../schedule-words.ts';
import { useConnectors } from '../../sources/connectors.ts';
import type { SyncDraft } from './draft.ts';

type Kind = 'manual' | 'interval' | 'weekly' | 'cron' | 'on_change' | 'after';

const KINDS: Record<Kind, string> = {
  manual: 'Manual',
  interval: 'Interval',
  weekly: 'Daily or weekly',
  cron: 'Cron expression',
  on_change: 'On every change',
  after: 'After another synchronization',
};
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
const ZONES = [...new Set(['UTC', ZONE, ...Intl.supportedValuesOf('timeZone')])];
const START: Record<Kind, Schedule> = {
  manual: { type: 'manual' },
  interval: { type: 'interval', every: '15m' },
  weekly: { type: 'cron', expression: '0 6 * * *', timezone: ZONE },
  cron: { type: 'cron', expression: '0 6 * * 1-5', timezone: ZONE },
  on_change: { type: 'on_change' },
  after: { type: 'after', sync_id: '' },
};

interface SchedulePartProps {
  draft: SyncDraft;
  source: Source | undefined;
  faults: ReadonlyMap<string, string>;
  onChange: (schedule: Schedule) => void;
}

/** When it runs, in words, with the times that come next. */
export function SchedulePart({ draft, source, faults: saved, onChange }: SchedulePartProps) {
  const tellsChanges = useConnectors().byType.get(source?.type ?? '')?.abilities.tells_changes === true;
  // What the service takes until the user chooses.
  const schedule: Schedule = draft.schedule ?? { type: tellsChanges ? 'on_change' : 'manual' };
  // An expression that is as simple as a time and some days may still be wanted as an expression.
  const [asCron, setAsCron] = useState(false);
  const kind: Kind = schedule.type === 'cron' && !asCron && weeklyOf(schedule.expression) ? 'weekly' : schedule.type;
  const isOffered = (one: Kind): boolean => one !== 'after' && (one !== 'on_change' || tellsChanges);
  const kinds = Object.entries(KINDS).filter(([value]) => isOffered(value as Kind) || value === kind);
  const times = useNextTimes(schedule);
  const faults = times.error ? faultsByField(times.error) : saved;
  return (
    <Section title="Schedule" about={`${scheduleWords(schedule)}.`}>
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
        {schedule.type === 'interval' && <IntervalFields every={schedule.every} fault={faults.get('schedule.every')} onChange={onChange} />}
        {schedule.type === 'cron' && <CronFields schedule={schedule} isWeekly={kind === 'weekly'} faults={faults} onChange={onChange} />}
        <NextTimes times={times.error ? [] : times.data?.data.next_times} />
      </Stack>
    </Section>
  );
}

function useNextTimes(schedule: Schedule) {
  // Compared as text: the object is another one each time.
  const [settled] = useDebouncedValue(JSON.stringify(schedule), 300);
  return useApi('POST /api/v1/datasync/sync/schedule', { body: { schedule: JSON.parse(settled) as Schedule, count: 3 } });
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

const UNITS = [
  { value: 's', label: 'seconds' },
  { value: 'm', label: 'minutes' },
  { value: 'h', label: 'hours' },
  { value: 'd', label: 'days' },
];

function IntervalFields({ every, fault, onChange }: { every: string; fault: string | undefined; onChange: (schedule: Schedule) => void }) {
  const [, count = '', unit = 'm'] = /^(\d*)([smhd])$/.exec(every) ?? [];
  const change = (nextCount: string, nextUnit: string): void => onChange({ type: 'interval', every: nextCount + nextUnit });
  return (
    <Group align="flex-start" gap="xs">
      <NumberInput
        label="Every"
        w={120}
        min={1}
        allowDecimal={false}
        allowNegative={false}
        value={count === '' ? '' : Number(count)}
        error={fault}
        onChange={(value) => change(String(value), unit)}
      />
      <NativeSelect label="Unit" data={UNITS} value={unit} onChange={({ currentTarget }) => change(count, currentTarget.value)} />
    </Group>
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
          ff="monospace"
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
