import { Box, Button, Group, NativeSelect, Stack, TagsInput, Text, TextInput } from '@mantine/core';
import { visible } from '../../../parts/words/outside-text.tsx';
import { fieldChoices, type FilterDraft, type KnownFields, type Operator, type StreamDraft } from './draft.ts';

const OPERATORS: readonly { value: Operator; label: string }[] = [
  { value: '=', label: 'is' },
  { value: '!=', label: 'is not' },
  { value: '<', label: 'is less than' },
  { value: '<=', label: 'is at most' },
  { value: '>', label: 'is more than' },
  { value: '>=', label: 'is at least' },
  { value: 'in', label: 'is one of' },
  { value: 'is_null', label: 'is null' },
  { value: 'not_null', label: 'is not null' },
];

interface FilterEditorProps {
  stream: StreamDraft;
  info: KnownFields;
  faults: ReadonlyMap<string, string>;
  onChange: (filter: readonly FilterDraft[]) => void;
}

/** Which rows are read: all, or those for which everything here holds. */
export function FilterEditor({ stream: { filter }, info, faults, onChange }: FilterEditorProps) {
  const first = info.fields[0]?.name ?? '';
  const replace = (place: number, part: Partial<FilterDraft>): void =>
    onChange(filter.map((old, at) => (at === place ? { ...old, ...part } : old)));
  return (
    <Stack gap="xs">
      <Text size="sm" fw={500}>
        {filter.length === 0 ? 'Filter: none, all rows are read.' : 'Filter: rows are read that meet all conditions:'}
      </Text>
      {filter.map(({ field, op, values }, place) => (
        // oxlint-disable-next-line react/no-array-index-key -- conditions have no name of their own: their place tells them apart
        <Group key={place} gap="xs" align="flex-start">
          <NativeSelect
            aria-label={`Field of condition ${place + 1}`}
            style={{ flex: '1 1 150px' }}
            data={fieldChoices(info, [field]).map(({ value, label }) => ({ value, label: visible(label) }))}
            value={field}
            error={faults.get(`filter[${place}].field`)}
            onChange={({ currentTarget }) => replace(place, { field: currentTarget.value })}
          />
          <NativeSelect
            aria-label={`Comparison of condition ${place + 1}`}
            style={{ flex: '1 1 130px' }}
            data={[...OPERATORS]}
            value={op}
            error={faults.get(`filter[${place}].op`)}
            onChange={({ currentTarget }) => replace(place, { op: currentTarget.value as Operator })}
          />
          {op !== 'is_null' && op !== 'not_null' && (
            <Values
              op={op}
              isBoolean={info.fields.some(({ name, type }) => name === field && type === 'boolean')}
              label={`Value of condition ${place + 1}`}
              values={values}
              fault={faults.get(`filter[${place}].value`) ?? faults.get(`filter[${place}]`)}
              onChange={(changed) => replace(place, { values: changed })}
            />
          )}
          <Button
            variant="subtle"
            color="gray"
            aria-label={`Remove condition ${place + 1}`}
            onClick={() => onChange(filter.filter((_, at) => at !== place))}
          >
            Remove
          </Button>
        </Group>
      ))}
      <Box>
        <Button variant="default" size="xs" onClick={() => onChange([...filter, { field: first, op: '=', values: [] }])}>
          Add a condition
        </Button>
      </Box>
    </Stack>
  );
}

interface ValuesProps {
  op: Operator;
  isBoolean: boolean;
  label: string;
  values: readonly string[];
  fault: string | undefined;
  onChange: (values: readonly string[]) => void;
}

/** What a field is compared with: one value, or for "is one of" several. */
function Values({ op, isBoolean, label, values, fault, onChange }: ValuesProps) {
  const look = { 'aria-label': label, style: { flex: '2 1 160px' }, error: fault };
  if (isBoolean && op !== 'in') {
    const choices = [...new Set(['', 'true', 'false', values[0] ?? ''])];
    return (
      <NativeSelect {...look} data={choices} value={values[0] ?? ''} onChange={({ currentTarget }) => onChange([currentTarget.value])} />
    );
  }
  return op === 'in' ? (
    // A value may have a comma in it: only Enter ends one.
    <TagsInput {...look} placeholder="A value, then Enter" splitChars={[]} value={[...values]} onChange={onChange} />
  ) : (
    <TextInput {...look} placeholder="Value" value={values[0] ?? ''} onChange={({ currentTarget }) => onChange([currentTarget.value])} />
  );
}
