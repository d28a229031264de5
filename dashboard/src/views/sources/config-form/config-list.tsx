import { Box, Button, Checkbox, Fieldset, Group, Stack, Text, TextInput } from '@mantine/core';
import { plural } from '../../../parts/format.ts';
import type { ConfigFieldProps } from './config-field.tsx';
import { ConfigMembers } from './config-members.tsx';
import { Described } from './described.tsx';
import { type ConfigSchema, emptyItem, isObject, membersOf } from './schema.ts';

/** A list: choices to tick, or entries that are added and removed. */
export function ConfigList(props: ConfigFieldProps) {
  const { schema, path, value, faults, onChange } = props;
  const entries: readonly unknown[] = Array.isArray(value) ? value : Array.isArray(schema.default) ? schema.default : [];
  const items = schema.items ?? {};
  const description = schema.description === undefined ? undefined : <Described text={schema.description} />;
  if (items.enum) {
    return (
      <Checkbox.Group
        label={schema.title}
        description={description}
        error={faults.get(path)}
        value={entries.map(String)}
        onChange={onChange}
      >
        <Group mt="xs">
          {items.enum.map((word) => (
            <Checkbox key={word} value={word} label={word} />
          ))}
        </Group>
      </Checkbox.Group>
    );
  }
  const replace = (place: number, entry: unknown): void => onChange(entries.map((old, at) => (at === place ? entry : old)));
  const remove = (place: number): void => onChange(entries.filter((_, at) => at !== place));
  const title = schema.title ?? 'Entries';
  return (
    <Fieldset legend={title}>
      <Stack gap="sm">
        <Text size="xs" c="dimmed">
          {description} {entries.length > 0 && `${plural(entries.length, 'entry', 'entries')}.`}
        </Text>
        {faults.has(path) && (
          <Text size="xs" c="var(--mantine-color-error)">
            {faults.get(path)}
          </Text>
        )}
        {entries.map((entry, place) => (
          <Entry
            // Entries have no names of their own: their place is what tells them apart.
            key={place}
            items={items}
            label={`${title}, ${place + 1}`}
            path={`${path}[${place}]`}
            value={entry}
            faults={faults}
            onChange={(changed) => replace(place, changed)}
            onRemove={() => remove(place)}
          />
        ))}
        <Box>
          <Button size="xs" variant="default" onClick={() => onChange([...entries, emptyItem(items)])}>
            Add to {title.toLowerCase()}
          </Button>
        </Box>
      </Stack>
    </Fieldset>
  );
}

interface EntryProps extends Pick<ConfigFieldProps, 'path' | 'value' | 'faults' | 'onChange'> {
  items: ConfigSchema;
  label: string;
  onRemove: () => void;
}

function Entry({ items, label, path, value, faults, onChange, onRemove }: EntryProps) {
  const removal = (
    <Button size="xs" variant="subtle" color="gray" onClick={onRemove} aria-label={`Remove ${label}`}>
      Remove
    </Button>
  );
  if (items.type !== 'object') {
    return (
      <Group gap="xs" align="flex-start" wrap="nowrap">
        <TextInput
          aria-label={label}
          value={String(value ?? '')}
          error={faults.get(path)}
          style={{ flex: 1 }}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        />
        {removal}
      </Group>
    );
  }
  return (
    <Fieldset legend={label} variant="filled">
      <ConfigMembers
        members={membersOf(items)}
        schema={items}
        path={path}
        value={isObject(value) ? value : {}}
        faults={faults}
        onChange={onChange}
      />
      <Group justify="flex-end" mt="xs">
        {removal}
      </Group>
    </Fieldset>
  );
}
