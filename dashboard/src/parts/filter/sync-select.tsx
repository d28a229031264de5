import { Select } from '@mantine/core';
import { useSyncNames } from '../../api/use-sync-names.ts';
import { visible } from '../words/outside-text.tsx';

interface SyncSelectProps {
  /** The id of a synchronization; undefined for all of them. */
  value: string | undefined;
  onChange: (id: string | undefined) => void;
}

/** One synchronization, or all. */
export function SyncSelect({ value, onChange }: SyncSelectProps) {
  const { names } = useSyncNames();
  const known = [...names].map(([id, name]) => ({ value: id, label: visible(name) }));
  // One that an address names but that is unknown is shown all the same: otherwise the list would be empty without a reason.
  const data = value === undefined || names.has(value) ? known : [...known, { value, label: value }];
  return (
    <Select
      label="Synchronization"
      placeholder="All"
      data={data}
      value={value ?? null}
      onChange={(id) => onChange(id ?? undefined)}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'All synchronizations' }}
      nothingFoundMessage="No synchronization has such a name."
      comboboxProps={{ shadow: 'md' }}
    />
  );
}
