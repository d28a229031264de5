import { Stack } from '@mantine/core';
import { ConfigField } from './config-field.tsx';
import { type ConfigObject, type ConfigSchema, type Member, withMember } from './schema.ts';

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
