import { Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import type { Reject, Sync } from '../../api/resources.ts';
import { namesIn } from '../../parts/table/grid/columns.ts';
import { DataGrid } from '../../parts/table/grid/data-grid.tsx';
import type { GridColumn } from '../../parts/table/grid/grid-column.ts';
import { OutsideText, visible } from '../../parts/words/outside-text.tsx';
import { StatusBadge } from '../../parts/status/status.tsx';

/** Rejected rows as they were read, a grid for each stream: the reason first, and the field that is to blame marked. */
export function RejectedRows({ sync, rejects }: { sync: Sync; rejects: readonly Reject[] }) {
  const groups = useMemo(() => [...Map.groupBy(rejects, ({ stream, target }) => `${stream} ${target}`)], [rejects]);
  return (
    <Stack gap="md" px="md">
      {groups.map(([name, found]) => (
        <OfStream key={name} sync={sync} rejects={found} isOnly={groups.length === 1} />
      ))}
    </Stack>
  );
}

function OfStream({ sync, rejects, isOnly }: { sync: Sync; rejects: readonly Reject[]; isOnly: boolean }) {
  const { stream = '', target = '' } = rejects[0] ?? {};
  const columns = useMemo(() => {
    const defined = sync.streams.find((candidate) => candidate.source === stream && candidate.target === target);
    return columnsFor(rejects, defined?.key ?? [], culpritsOf(defined?.fields ?? []));
  }, [rejects, sync, stream, target]);
  const name = stream === target ? stream : `${stream} → ${target}`;
  return (
    <Stack gap={6}>
      <Text size="sm" fw={500}>
        <OutsideText>{name}</OutsideText>
      </Text>
      <DataGrid label={isOnly ? 'Rejected rows' : `Rejected rows of ${visible(name)}`} columns={columns} rows={rejects} />
    </Stack>
  );
}

/** The field of the source behind the field that was told: what is refused is called as at the target. */
function culpritsOf(fields: NonNullable<Sync['streams'][number]['fields']>) {
  const sources = new Map(fields.flatMap(({ from, to }) => (from === undefined ? [] : [[to, from]])));
  return ({ field }: Reject): string | undefined => (field === null ? undefined : (sources.get(field) ?? field));
}

function columnsFor(rejects: readonly Reject[], key: readonly string[], culpritOf: (reject: Reject) => string | undefined) {
  const all = namesIn(rejects.map(({ row }) => row as Record<string, unknown>));
  const culprits = new Set(rejects.map(culpritOf));
  const names = [...all.filter((name) => culprits.has(name)), ...all.filter((name) => !culprits.has(name) && !key.includes(name))];
  const isMixed = new Set(rejects.map(({ status }) => status)).size > 1;
  const columns: GridColumn<Reject>[] = [
    {
      name: 'the key',
      label: key.length === 0 ? 'Key' : key.join(', '),
      cell: (reject) => (reject.key === null ? { value: null, none: 'without a key' } : { value: keyText(reject.key) }),
    },
    REASON,
    ...(isMixed ? [STATUS] : []),
    ...names.map((name) => ({
      name,
      cell: (reject: Reject) => ({
        value: (reject.row as Record<string, unknown>)[name],
        isCulprit: culpritOf(reject) === name,
      }),
    })),
    { name: 'the time', label: 'Rejected', type: 'timestamptz', cell: ({ created_at }) => ({ value: created_at }) },
  ];
  return columns;
}

const REASON: GridColumn<Reject> = {
  name: 'the reason',
  label: 'Reason',
  widest: 560,
  cell: ({ field, reason }) => ({ value: field === null ? reason : `${field} ${reason}` }),
};

const STATUS: GridColumn<Reject> = {
  name: 'the status',
  label: 'Status',
  cell: ({ status }) => ({ value: status, drawn: <StatusBadge status={status} /> }),
};

function keyText(key: readonly (string | boolean | null)[]): unknown {
  return key.length === 1 ? key[0] : key.map(String).join(', ');
}
