import { Box, Button, Collapse, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { plural } from '../../../parts/words/format.ts';
import { ConfigMembers } from './config-members.tsx';
import { type ConfigObject, type ConfigSchema, partsOf } from './schema.ts';

interface ConfigFormProps {
  schema: ConfigSchema;
  value: ConfigObject;
  /** What is wrong, by place, such as `config.host`. */
  faults: ReadonlyMap<string, string>;
  onChange: (value: ConfigObject) => void;
}

/** The form for a connector, made from the schema of its configuration. What few have to look at is folded away. */
export function ConfigForm({ schema, value, faults, onChange }: ConfigFormProps) {
  const { main, more } = partsOf(schema);
  const isUsed = more.some(([name]) => value[name] !== undefined);
  const isAtFault = more.some(([name]) => [...faults.keys()].some((path) => isWithin(path, `config.${name}`)));
  const [wanted, setWanted] = useState<boolean>();
  const isOpen = isAtFault || (wanted ?? isUsed);
  const common = { schema, path: 'config', value, faults, onChange };
  if (main.length + more.length === 0) return <Text size="sm">There is nothing to set up: it is there already.</Text>;
  return (
    <Stack gap="md">
      <ConfigMembers members={main} {...common} />
      {more.length > 0 && (
        <Box>
          <Button variant="subtle" size="compact-sm" px={0} aria-expanded={isOpen} onClick={() => setWanted(!isOpen)}>
            {isOpen ? 'Fewer settings' : plural(more.length, 'more setting')}
          </Button>
          <Collapse expanded={isOpen} mt="sm">
            <ConfigMembers members={more} {...common} />
          </Collapse>
        </Box>
      )}
    </Stack>
  );
}

function isWithin(path: string, member: string): boolean {
  return path === member || path.startsWith(`${member}.`) || path.startsWith(`${member}[`);
}
