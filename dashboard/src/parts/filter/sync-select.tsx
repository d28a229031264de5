import { Select } from '@mantine/core';
import { useMemo } from 'react';
import { useSyncNames } from '../../api/use-sync-names.ts';
import { visible } from '../words/outside-text.tsx';

/** So many are offered at once: of thousands, those that are wanted are found by typing, and the list opens as fast as that of a few. */
const MOST = 100;

interface SyncSelectProps {
  /** The id of a synchronization; undefined for all of them. */
  value: string | undefined;
  onChange: (id: string | undefined) => void;
}

/** One synchronization, or all. */
export function SyncSelect({ value, onChange }: SyncSelectProps) {
  const { names, isPending } = useSyncNames();
  const data = useMemo(() => {
    const known = [...names].map(([id, name]) => ({ value: id, label: visible(name) }));
    // One that an address names but that is unknown is shown all the same: otherwise the list would be empty without a reason.
    return value === undefined || names.has(value) ? known : [...known, { value, label: isPending ? 'Loading…' : value }];
  }, [names, isPending, value]);
  return (
    <Select
      label="Synchronization"
      placeholder="All"
      data={data}
      value={value ?? null}
      onChange={(id) => onChange(id ?? undefined)}
      searchable
      limit={MOST}
      clearable
      clearButtonProps={{ 'aria-label': 'All synchronizations' }}
      nothingFoundMessage="No synchronization has such a name."
      comboboxProps={{ shadow: 'md' }}
    />
  );
}
