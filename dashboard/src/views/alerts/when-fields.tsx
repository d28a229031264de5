import { NativeSelect, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core';
import type { AlertDraft } from './alert-draft.ts';
import { OWN_ZONE, ZONES } from '../../parts/form/time-zones.ts';

const REMINDERS = [
  { value: '', label: 'No reminders' },
  { value: '1h', label: 'Every hour' },
  { value: '4h', label: 'Every 4 hours' },
  { value: '1d', label: 'Every day' },
  { value: '7d', label: 'Every week' },
];

interface WhenFieldsProps {
  draft: AlertDraft;
  faults: ReadonlyMap<string, string>;
  onChange: (part: Partial<AlertDraft>) => void;
}

/** How often it tells of the same, and when it keeps quiet. */
export function WhenFields({ draft: { remindEvery, quietHours }, faults, onChange }: WhenFieldsProps) {
  const known = REMINDERS.some(({ value }) => value === remindEvery);
  return (
    <Stack gap="md">
      <NativeSelect
        label="Reminders"
        description="While something goes on; when it begins and when it is over you are told once each."
        maw={420}
        data={known ? REMINDERS : [...REMINDERS, { value: remindEvery, label: `Every ${remindEvery}` }]}
        value={remindEvery}
        error={faults.get('remind_every')}
        onChange={({ currentTarget }) => onChange({ remindEvery: currentTarget.value })}
      />
      <Switch
        label="Quiet hours"
        description="What happens then is told when they end."
        checked={quietHours !== null}
        onChange={({ currentTarget }) =>
          onChange({ quietHours: currentTarget.checked ? { from: '22:00', to: '07:00', timezone: OWN_ZONE } : null })
        }
      />
      {quietHours && (
        <SimpleGrid cols={{ base: 1, xs: 3 }}>
          <TextInput
            type="time"
            label="From"
            value={quietHours.from}
            error={faults.get('quiet_hours.from')}
            onChange={({ currentTarget }) => onChange({ quietHours: { ...quietHours, from: currentTarget.value } })}
          />
          <TextInput
            type="time"
            label="Until"
            value={quietHours.to}
            error={faults.get('quiet_hours.to')}
            onChange={({ currentTarget }) => onChange({ quietHours: { ...quietHours, to: currentTarget.value } })}
          />
          <NativeSelect
            label="Time zone"
            data={ZONES.includes(quietHours.timezone) ? ZONES : [quietHours.timezone, ...ZONES]}
            value={quietHours.timezone}
            error={faults.get('quiet_hours.timezone')}
            onChange={({ currentTarget }) => onChange({ quietHours: { ...quietHours, timezone: currentTarget.value } })}
          />
        </SimpleGrid>
      )}
    </Stack>
  );
}
