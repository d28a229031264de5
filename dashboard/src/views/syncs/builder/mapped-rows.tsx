import { Group, Stack, Switch, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { DataGrid } from '../../../parts/table/grid/data-grid.tsx';
import { textOf } from '../../../parts/table/grid/grid-values.ts';
import type { GridColumn, GridValue } from '../../../parts/table/grid/grid-column.ts';
import { plural } from '../../../parts/words/format.ts';
import { OutsideText } from '../../../parts/words/outside-text.tsx';
import type { Trial } from './use-trial.ts';

type Tried = NonNullable<Trial['data']>['data'];
type Sample = NonNullable<Tried['sample']>;
type SampleRow = Sample['rows'][number];
type Filled = Tried['streams'][number];

/** Where a field that is written comes from. */
interface Output {
  name: string;
  type: string;
  /** The fields of the source that it is made of. */
  from: readonly string[];
}

/** Rows as they would be written. What the mapping makes another value of is shown before and after, and comes first. */
export function MappedRows({ sample, filled }: { sample: Sample; filled: Filled | undefined }) {
  const [all, setAll] = useState(false);
  const outputs = useMemo(() => outputsOf(sample, filled), [sample, filled]);
  const told = useMemo(() => outputs.filter((output) => isChanged(output, sample.rows)), [outputs, sample]);
  const isShort = told.length > 0 && told.length < outputs.length;
  const columns = useMemo(
    () => columnsFor(isShort && !all ? told : outputs, outputs, filled?.key ?? [], sample.rows),
    [all, isShort, told, outputs, filled, sample],
  );
  const used = new Set(outputs.flatMap(({ from }) => from));
  const left = sample.read.filter(({ name }) => !used.has(name)).map(({ name }) => name);
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed">
          As they would be written{isShort && !all && `: the ${plural(told.length, 'field')} that the mapping changes`}
        </Text>
        {isShort && <Switch size="xs" label="All fields" checked={all} onChange={({ currentTarget }) => setAll(currentTarget.checked)} />}
      </Group>
      <DataGrid label="Rows before and after" columns={columns} rows={sample.rows} />
      {left.length > 0 && (
        <Text size="xs" c="dimmed">
          Read, and not written: <OutsideText>{left.slice(0, 20).join(', ') + (left.length > 20 ? ' …' : '')}</OutsideText>
        </Text>
      )}
    </Stack>
  );
}

function outputsOf({ read, written }: Sample, filled: Filled | undefined): Output[] {
  const known = new Map((filled?.fields ?? []).map((field) => [field.to, field]));
  const names = read.map(({ name }) => name);
  return written.map(({ name, type }) => {
    const { from = name, expression } = known.get(name) ?? {};
    return { name, type, from: expression === undefined ? [from] : namesUsed(expression, names) };
  });
}

/** Fields that an expression names. A text in it that looks like one does no harm: it is shown beside the others. */
function namesUsed(expression: string, names: readonly string[]): string[] {
  const words = new Set(expression.match(/[\p{L}_][\p{L}\p{N}_]*/gu));
  return names.filter((name) => words.has(name));
}

/** Whether a value of it is another one than at the source, or keeps a row from being written. */
function isChanged(output: Output, rows: readonly SampleRow[]): boolean {
  return rows.some((row) => row.field === output.name || (row.after !== null && madeOf(output, row).before !== undefined));
}

function madeOf({ name, from }: Output, { before, after }: SampleRow): GridValue {
  const value = after?.[name];
  const [only, ...others] = from;
  if (only === undefined) return { value };
  if (others.length > 0) return { value, before: { value: readOf(from, before), isMade: true } };
  return textOf(before[only]) === textOf(value) ? { value } : { value, before: { value: before[only] } };
}

/** What was read for it; of several fields, all of them. */
function readOf(from: readonly string[], before: SampleRow['before']): unknown {
  return from.length === 1 ? before[from[0] ?? ''] : from.map((field) => textOf(before[field]) ?? 'null').join(' + ');
}

function columnsFor(shown: readonly Output[], outputs: readonly Output[], key: readonly string[], rows: readonly SampleRow[]) {
  const isKey = ({ from }: Output): boolean => from.length === 1 && key.includes(from[0] ?? '');
  const keys = outputs.filter(isKey);
  // A row without a key is known by its first field.
  const heads = keys.length > 0 ? keys : outputs.slice(0, 1);
  const others = shown.filter((output) => !heads.includes(output));
  return [...heads.map(columnOf), ...(rows.some(({ after }) => after === null) ? [OUTCOME] : []), ...others.map(columnOf)];
}

function columnOf(output: Output): GridColumn<SampleRow> {
  return {
    name: output.name,
    type: output.type,
    cell: (row) => {
      if (row.after) return madeOf(output, row);
      // Nothing is written of it: what was read, and what is to blame.
      return { value: readOf(output.from, row.before), isCulprit: row.field === output.name };
    },
  };
}

const OUTCOME: GridColumn<SampleRow> = {
  name: 'the outcome',
  label: 'Outcome',
  widest: 360,
  cell: ({ after, field, reason }) => {
    if (after) return { value: 'Written' };
    return { value: `Rejected: ${field === null ? (reason ?? '') : `${field} ${reason}`}` };
  },
};
