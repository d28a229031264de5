import { Box, Button, Checkbox, Fieldset, Group, NativeSelect, Stack, Switch, Text, TextInput } from '@mantine/core';
import { plural } from '../../../parts/words/format.ts';
import { Described } from './described.tsx';
import { JsonField } from './json-field.tsx';
import { type ConfigFieldProps, PlainField } from './plain-field.tsx';
import {
  type ConfigObject,
  type ConfigSchema,
  emptyItem,
  isAnything,
  isObject,
  labelOf,
  type Member,
  membersOf,
  tagOf,
  textOf,
  typeOf,
  variantOf,
  withMember,
} from './schema.ts';

// These call each other, as a configuration may hold objects and lists within objects and lists.

interface ConfigMembersProps {
  members: readonly Member[];
  schema: ConfigSchema;
  path: string;
  value: ConfigObject;
  faults: ReadonlyMap<string, string>;
  onChange: (value: ConfigObject) => void;
}

/** Some members of an object, one below the other. */
export function ConfigMembers({ members, schema, path, value, faults, onChange }: ConfigMembersProps) {
  return (
    <Stack gap="md">
      {members.map(([name, member]) => (
        <ConfigField
          key={name}
          schema={member}
          path={`${path}.${name}`}
          value={value[name]}
          required={schema.required?.includes(name) ?? false}
          faults={faults}
          onChange={(changed) => onChange(withMember(value, name, changed))}
        />
      ))}
    </Stack>
  );
}

/** The right field for one member of a configuration, whatever it is. */
function ConfigField(props: ConfigFieldProps) {
  const { schema } = props;
  if (isAnything(schema)) return <JsonField {...props} />;
  if (schema.oneOf) return <ConfigChoice {...props} variants={schema.oneOf} />;
  if (schema.type === 'array') return <ConfigList {...props} />;
  return schema.type === 'object' ? <ConfigPart {...props} /> : <PlainField {...props} />;
}

/** An object within a configuration. One that may be left out is switched on first. */
function ConfigPart({ schema, path, value, required, faults, onChange }: ConfigFieldProps) {
  const isThere = required || isObject(value);
  return (
    <Stack gap="xs">
      {!required && (
        <Switch
          label={labelOf(schema, path)}
          description={schema.description === undefined ? undefined : <Described text={schema.description} />}
          checked={isThere}
          onChange={({ currentTarget }) => onChange(currentTarget.checked ? {} : undefined)}
        />
      )}
      {isThere && (
        <Fieldset legend={labelOf(schema, path)}>
          <ConfigMembers
            members={membersOf(schema)}
            schema={schema}
            path={path}
            value={isObject(value) ? value : {}}
            faults={faults}
            onChange={onChange}
          />
        </Fieldset>
      )}
    </Stack>
  );
}

/** One of several ways: which, and what that one needs. Nothing is chosen before the user does, unless there is a default. */
function ConfigChoice({
  schema,
  variants,
  path,
  value,
  required,
  faults,
  onChange,
}: ConfigFieldProps & { variants: readonly ConfigSchema[] }) {
  const given = isObject(value) ? value : isObject(schema.default) ? schema.default : undefined;
  const tag = tagOf(variants);
  const variant = given && variantOf(variants, given);
  const members = variant ? membersOf(variant) : [];
  const choose = (label: string): void => {
    const chosen = variants.find((one) => typeOf(one, tag) === label)?.properties?.[tag]?.const;
    onChange(chosen === undefined ? undefined : { [tag]: chosen });
  };
  const choices = variants.map((one) => ({ value: typeOf(one, tag), label: one.title ?? typeOf(one, tag) }));
  const mayBeOpen = !variant || (!required && !isObject(schema.default));
  return (
    <Stack gap="sm">
      <NativeSelect
        label={labelOf(schema, path)}
        description={schema.description === undefined ? undefined : <Described text={schema.description} />}
        withAsterisk={required}
        error={faults.get(path) ?? faults.get(`${path}.${tag}`)}
        data={mayBeOpen ? [{ value: '', label: '' }, ...choices] : choices}
        value={variant ? typeOf(variant, tag) : ''}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      />
      {variant && members.length > 0 && (
        <Box pl="md" style={{ borderLeft: '2px solid var(--syncline-border)' }}>
          <ConfigMembers members={members} schema={variant} path={path} value={given} faults={faults} onChange={onChange} />
        </Box>
      )}
    </Stack>
  );
}

/** A list: choices to tick, or entries that are added and removed. */
function ConfigList(props: ConfigFieldProps) {
  const { schema, path, value, faults, onChange } = props;
  const entries: readonly unknown[] = Array.isArray(value) ? value : Array.isArray(schema.default) ? schema.default : [];
  const items = schema.items ?? {};
  const description = schema.description === undefined ? undefined : <Described text={schema.description} />;
  if (items.enum) {
    return (
      <Checkbox.Group
        label={labelOf(schema, path)}
        description={description}
        error={faults.get(path)}
        value={entries.map(textOf)}
        onChange={(ticked) => onChange(items.enum?.filter((word) => ticked.includes(textOf(word))))}
      >
        <Group mt="xs">
          {items.enum.map((word) => (
            <Checkbox key={textOf(word)} value={textOf(word)} label={textOf(word)} />
          ))}
        </Group>
      </Checkbox.Group>
    );
  }
  const replace = (place: number, entry: unknown): void => onChange(entries.map((old, at) => (at === place ? entry : old)));
  const remove = (place: number): void => onChange(entries.filter((_, at) => at !== place));
  const title = labelOf(schema, path);
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
            // oxlint-disable-next-line react/no-array-index-key -- entries have no names of their own: their place tells them apart
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
  if (items.type === 'integer' || items.type === 'number' || items.type === 'boolean' || items.writeOnly) {
    return (
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <Box style={{ flex: 1 }}>
          <PlainField schema={{ ...items, title: label }} path={path} value={value} required={false} faults={faults} onChange={onChange} />
        </Box>
        {removal}
      </Group>
    );
  }
  if (items.type === 'string') {
    return (
      <Group gap="xs" align="flex-start" wrap="nowrap">
        <TextInput
          aria-label={label}
          value={textOf(value)}
          error={faults.get(path)}
          style={{ flex: 1 }}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        />
        {removal}
      </Group>
    );
  }
  const isPlain = items.type === 'object' && !items.oneOf && !isAnything(items);
  return (
    <Fieldset legend={label} variant="filled">
      {isPlain ? (
        <ConfigMembers
          members={membersOf(items)}
          schema={items}
          path={path}
          value={isObject(value) ? value : {}}
          faults={faults}
          onChange={onChange}
        />
      ) : (
        <ConfigField schema={items} path={path} value={value} required faults={faults} onChange={onChange} />
      )}
      <Group justify="flex-end" mt="xs">
        {removal}
      </Group>
    </Fieldset>
  );
}
