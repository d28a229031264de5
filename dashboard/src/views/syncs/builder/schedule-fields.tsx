import { Group, NativeSelect, NumberInput, Select, Stack, Switch } from '@mantine/core';
import { visible } from '../../../parts/words/outside-text.tsx';
import type { Schedule } from '../schedule-words.ts';

const UNITS = [
  { value: 's', label: 'seconds' },
  { value: 'm', label: 'minutes' },
  { value: 'h', label: 'hours' },
  { value: 'd', label: 'days' },
];

interface EveryFieldsProps {
  label: string;
  /** A number and its unit: `15m`. */
  every: string;
  fault: string | undefined;
  onChange: (every: string) => void;
}

/** A length of time: a number and its unit. */
export function EveryFields({ label, every, fault, onChange }: EveryFieldsProps) {
  const [, count = '', unit = 'm'] = /^(\d*)([smhd])$/.exec(every) ?? [];
  return (
    <Group align="flex-start" gap="xs">
      <NumberInput
        label={label}
        w={140}
        min={1}
        allowDecimal={false}
        allowNegative={false}
        value={count === '' ? '' : Number(count)}
        error={fault}
        onChange={(value) => onChange(`${value}${unit}`)}
      />
      <NativeSelect label="Unit" data={UNITS} value={unit} onChange={({ currentTarget }) => onChange(count + currentTarget.value)} />
    </Group>
  );
}

interface AfterFieldProps {
  syncId: string;
  /** All but the one that is changed. */
  names: ReadonlyMap<string, string>;
  fault: string | undefined;
  onChange: (schedule: Schedule) => void;
}

/** The synchronization that runs before this one. */
export function AfterField({ syncId, names, fault, onChange }: AfterFieldProps) {
  const known = [...names].map(([value, name]) => ({ value, label: visible(name) }));
  return (
    <Select
      label="After"
      description="It runs whenever a run of that one has succeeded, also with rejected rows."
      placeholder="Choose a synchronization"
      maw={420}
      data={syncId === '' || names.has(syncId) ? known : [...known, { value: syncId, label: syncId }]}
      value={syncId === '' ? null : syncId}
      error={fault}
      onChange={(id) => onChange({ type: 'after', sync_id: id ?? '' })}
      searchable
      nothingFoundMessage="No synchronization has such a name."
      comboboxProps={{ shadow: 'md' }}
    />
  );
}

interface ExpectEveryProps {
  every: string | null;
  fault: string | undefined;
  onChange: (every: string | null) => void;
}

/** How often a run has to succeed; alerts tell when none has. */
export function ExpectEvery({ every, fault, onChange }: ExpectEveryProps) {
  return (
    <Stack gap="xs">
      <Switch
        label="Expect a run regularly"
        description="When none has succeeded for so long, the synchronization is late, and alerts tell of it."
        checked={every !== null}
        onChange={({ currentTarget }) => onChange(currentTarget.checked ? '1d' : null)}
      />
      {every !== null && <EveryFields label="Expect a run every" every={every} fault={fault} onChange={onChange} />}
    </Stack>
  );
}
