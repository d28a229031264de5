import { Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import type { Stream } from '../../api/resources.ts';
import { columnsOf, keyColumn, namesIn } from '../../parts/table/grid/columns.ts';
import { DataGrid } from '../../parts/table/grid/data-grid.tsx';
import type { GridColumn } from '../../parts/table/grid/grid-column.ts';
import { plural } from '../../parts/words/format.ts';
import { visible } from '../../parts/words/outside-text.tsx';

type Sample = NonNullable<Stream['proof']>['samples'][number];

const GROUPS = [
  ['different', 'Different'],
  ['missing', 'Missing at the target'],
  ['extra', 'Only at the target'],
] as const;

/** Some of the rows that differ. Of those that both ends have, a line for each field in which they differ. */
export function DifferentRows({ name, samples }: { name: string; samples: readonly Sample[] }) {
  return GROUPS.map(([difference, title]) => {
    const found = samples.filter((sample) => sample.difference === difference);
    if (found.length === 0) return null;
    const label = `${title}: some rows of ${visible(name)}`;
    return (
      <Stack gap={6} key={difference}>
        <Text size="sm" fw={500}>
          {title}
        </Text>
        {difference === 'different' ? <FieldsThatDiffer label={label} samples={found} /> : <WholeRows label={label} samples={found} />}
      </Stack>
    );
  });
}

interface GroupProps {
  label: string;
  samples: readonly Sample[];
}

interface DifferentField {
  sample: Sample;
  field: string;
}

function FieldsThatDiffer({ label, samples }: GroupProps) {
  const rows = useMemo(() => samples.flatMap((sample) => sample.fields.map((field) => ({ sample, field }))), [samples]);
  const columns = useMemo((): GridColumn<DifferentField>[] => {
    const key = namesIn(samples.map((sample) => sample.key));
    return [
      ...(key.length === 0 ? [] : [keyColumn<DifferentField>(key, ({ sample }) => sample.key)]),
      { name: 'field', label: 'Field', cell: ({ field }) => ({ value: field }) },
      endColumn('source', 'Source', 'target'),
      endColumn('target', 'Target', 'source'),
    ];
  }, [samples]);
  const about = `${plural(rows.length, 'field')} of ${plural(samples.length, 'row')}`;
  return <DataGrid label={label} columns={columns} rows={rows} about={about} />;
}

type End = 'source' | 'target';

/** What one end has, with the part in which the other one differs marked. */
function endColumn(end: End, label: string, other: End): GridColumn<DifferentField> {
  return {
    name: `the ${end}`,
    label,
    cell: ({ sample, field }) => ({ value: sample[end]?.[field], against: { value: sample[other]?.[field] } }),
  };
}

function WholeRows({ label, samples }: GroupProps) {
  const columns = useMemo(() => {
    const key = namesIn(samples.map((sample) => sample.key));
    const others = namesIn(samples.map(({ source, target }) => source ?? target)).filter((name) => !key.includes(name));
    const head = key.length === 0 ? [] : [keyColumn<Sample>(key, (sample) => sample.key)];
    return [...head, ...columnsOf<Sample>(others, ({ source, target }) => source ?? target ?? {})];
  }, [samples]);
  return <DataGrid label={label} columns={columns} rows={samples} />;
}
