import { Anchor, Box, Button, Group, NativeSelect, Stack, Switch, Text, TextInput } from '@mantine/core';
import { CODE_STYLES } from '../../../parts/form/code-styles.ts';
import { OutsideText, visible } from '../../../parts/words/outside-text.tsx';
import { showPlace } from './show-place.ts';
import type { FieldDraft, FieldType, KnownFields, StreamDraft } from './draft.ts';

const TYPES: readonly FieldType[] = [
  'text',
  'int64',
  'decimal',
  'float64',
  'boolean',
  'date',
  'time',
  'timestamp',
  'timestamptz',
  'uuid',
  'json',
  'binary',
];

interface MappingEditorProps {
  /** The place within the stream that the user was led to, such as `.fields[3]`. */
  led: string | undefined;
  stream: StreamDraft;
  info: KnownFields;
  faults: ReadonlyMap<string, string>;
  onChange: (fields: readonly FieldDraft[] | null) => void;
}

/** Which fields are written, under which names, as what, and which are computed. */
export function MappingEditor({ led, stream: { fields }, info, faults, onChange }: MappingEditorProps) {
  const all = (): FieldDraft[] => info.fields.map(({ name }) => ({ from: name, to: name }));
  return (
    <Stack gap="xs">
      <Switch
        label="Map fields"
        description="Choose, rename, cast and compute fields. Otherwise all fields are written under their own names, also those that are added at the source later."
        checked={fields !== null}
        onChange={({ currentTarget }) => onChange(currentTarget.checked ? all() : null)}
      />
      {faults.has('fields') && (
        <Text size="sm" c="var(--mantine-color-error)">
          {faults.get('fields')}
        </Text>
      )}
      {fields && <FieldRows led={led} fields={fields} info={info} faults={faults} onChange={onChange} />}
    </Stack>
  );
}

interface FieldRowsProps {
  led: string | undefined;
  fields: readonly FieldDraft[];
  info: KnownFields;
  faults: ReadonlyMap<string, string>;
  onChange: (fields: readonly FieldDraft[]) => void;
}

function FieldRows({ led, fields, info, faults, onChange }: FieldRowsProps) {
  const unused = info.fields.filter(({ name }) => !fields.some(({ from }) => from === name));
  return (
    <Stack gap="xs">
      {fields.map((field, place) => (
        <FieldRow
          // oxlint-disable-next-line react/no-array-index-key -- fields change their names while they are written: their place tells them apart
          key={place}
          field={field}
          place={place}
          isLed={led === `.fields[${place}]`}
          isGone={field.from !== undefined && !info.fields.some(({ name }) => name === field.from)}
          fault={(member) => faults.get(`fields[${place}]${member}`)}
          onChange={(changed) => onChange(fields.map((old, at) => (at === place ? changed : old)))}
          onRemove={() => onChange(fields.filter((_, at) => at !== place))}
        />
      ))}
      <Group gap="xs" align="flex-end">
        {unused.length > 0 && (
          <NativeSelect
            aria-label="Add a field of the source"
            data={[
              { value: '', label: 'Add a field of the source…' },
              ...unused.map(({ name }) => ({ value: name, label: visible(name) })),
            ]}
            value=""
            onChange={({ currentTarget }) => onChange([...fields, { from: currentTarget.value, to: currentTarget.value }])}
          />
        )}
        <Button variant="default" onClick={() => onChange([...fields, { expression: '', to: '' }])}>
          Add an expression
        </Button>
      </Group>
      <Text size="xs" c="dimmed">
        Expressions are written in CEL over the fields of the source, such as{' '}
        <Text span inherit ff="monospace">
          first_name + &quot; &quot; + last_name
        </Text>
        .{' '}
        <Anchor href="/docs" target="_blank" size="xs">
          Reference
        </Anchor>
      </Text>
    </Stack>
  );
}

interface FieldRowProps {
  field: FieldDraft;
  place: number;
  /** The user was led here: it is marked, and what takes it out has the focus. */
  isLed: boolean;
  /** The source does not have it any more. */
  isGone: boolean;
  /** What is wrong with a member, such as `.to`; with the whole for an empty one. */
  fault: (member: string) => string | undefined;
  onChange: (field: FieldDraft) => void;
  onRemove: () => void;
}

function FieldRow({ field, place, isLed, isGone, fault, onChange, onRemove }: FieldRowProps) {
  const number = place + 1;
  return (
    <Group gap="xs" align="flex-start" className="surface" p="xs" {...(isLed && { bd: '2px solid var(--status-warning)' })}>
      <Box style={{ flex: '2 1 200px' }}>
        {field.expression === undefined ? (
          <Text size="sm" py={8}>
            <OutsideText>{field.from ?? ''}</OutsideText>
            {isGone && ' (not found)'}
          </Text>
        ) : (
          <TextInput
            aria-label={`Expression of field ${number}`}
            placeholder="Expression"
            styles={CODE_STYLES}
            spellCheck={false}
            maxLength={4000}
            value={field.expression}
            error={fault('.expression') ?? fault('')}
            onChange={({ currentTarget }) => onChange({ ...field, expression: currentTarget.value })}
          />
        )}
        {fault('.from') !== undefined && (
          <Text size="xs" c="var(--mantine-color-error)">
            {fault('.from')}
          </Text>
        )}
      </Box>
      <TextInput
        aria-label={`Name of field ${number} at the target`}
        placeholder="Name at the target"
        spellCheck={false}
        style={{ flex: '2 1 160px' }}
        value={field.to}
        error={fault('.to') ?? (field.expression === undefined ? fault('') : undefined)}
        onChange={({ currentTarget }) => onChange({ ...field, to: currentTarget.value })}
      />
      <NativeSelect
        aria-label={`Type of field ${number}`}
        style={{ flex: '1 1 130px' }}
        data={[{ value: '', label: 'as it is' }, ...TYPES.map((type) => ({ value: type, label: `as ${type}` }))]}
        value={field.type ?? ''}
        error={fault('.type')}
        onChange={({ currentTarget }) => onChange({ ...field, type: (currentTarget.value || undefined) as FieldType | undefined })}
      />
      <Button
        ref={isLed && isGone ? showPlace : undefined}
        variant="subtle"
        color="gray"
        onClick={onRemove}
        aria-label={`Leave out field ${number}, ${visible(field.to)}`}
      >
        Leave out
      </Button>
    </Group>
  );
}
