import { Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import type { Run } from '../../api/resources.ts';
import { columnsOf, keyColumn, namesIn } from '../../parts/table/grid/columns.ts';
import { DataGrid } from '../../parts/table/grid/data-grid.tsx';
import type { GridColumn } from '../../parts/table/grid/grid-column.ts';
import { formatCount } from '../../parts/words/format.ts';
import { visible } from '../../parts/words/outside-text.tsx';

type Changes = NonNullable<Run['streams'][number]['changes']>;
type Sample = NonNullable<Changes['samples']>[number];

const GROUPS = [
  { change: 'update', count: 'updated', title: 'Would be updated' },
  { change: 'insert', count: 'inserted', title: 'Would be inserted' },
  { change: 'delete', count: 'deleted', title: 'Would be deleted' },
] as const;

/** Some of the rows that would change: of those that are updated, only what changes. */
export function ChangedRows({ name, changes }: { name: string; changes: Changes }) {
  return GROUPS.map(({ change, count, title }) => {
    const samples = (changes.samples ?? []).filter((sample) => sample.change === change);
    return samples.length === 0 ? null : (
      <Stack gap={6} key={change}>
        <Text size="sm" fw={500}>
          {title}
        </Text>
        <Group label={`${title}: some rows of ${visible(name)}`} samples={samples} total={changes[count]} />
      </Stack>
    );
  });
}

function Group({ label, samples, total }: { label: string; samples: readonly Sample[]; total: number }) {
  const columns = useMemo(() => columnsFor(samples), [samples]);
  const shown = samples.length < total ? `${formatCount(samples.length)} of ${formatCount(total)} rows` : undefined;
  return <DataGrid label={label} columns={columns} rows={samples} about={shown} />;
}

function columnsFor(samples: readonly Sample[]): GridColumn<Sample>[] {
  const key = namesIn(samples.map((sample) => sample.key));
  const others = namesIn(samples.map(({ before, after }) => after ?? before)).filter((name) => !key.includes(name));
  const head = key.length === 0 ? [] : [keyColumn<Sample>(key, (sample) => sample.key)];
  if (samples[0]?.change !== 'update') return [...head, ...columnsOf<Sample>(others, ({ before, after }) => after ?? before ?? {})];
  const changed = others.filter((name) => samples.some((sample) => changes(sample, name)));
  return [
    ...head,
    ...changed.map((name) => ({
      name,
      cell: (sample: Sample) => {
        const value = sample.after?.[name];
        return changes(sample, name) ? { value, before: { value: sample.before?.[name] } } : { value, none: 'unchanged' };
      },
    })),
  ];
}

function changes({ before, after }: Sample, name: string): boolean {
  return before?.[name] !== after?.[name];
}
