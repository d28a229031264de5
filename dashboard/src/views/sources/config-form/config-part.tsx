import { Fieldset, Stack, Switch } from '@mantine/core';
import type { ConfigFieldProps } from './config-field.tsx';
import { ConfigMembers } from './config-members.tsx';
import { Described } from './described.tsx';
import { isObject, membersOf } from './schema.ts';

/** An object within a configuration. One that may be left out is switched on first. */
export function ConfigPart({ schema, path, value, required, faults, onChange }: ConfigFieldProps) {
  const isThere = required || isObject(value);
  return (
    <Stack gap="xs">
      {!required && (
        <Switch
          label={schema.title}
          description={schema.description === undefined ? undefined : <Described text={schema.description} />}
          checked={isThere}
          onChange={({ currentTarget }) => onChange(currentTarget.checked ? {} : undefined)}
        />
      )}
      {isThere && (
        <Fieldset legend={schema.title}>
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
