import { Box, NativeSelect, Stack } from '@mantine/core';
import type { ConfigFieldProps } from './config-field.tsx';
import { ConfigMembers } from './config-members.tsx';
import { Described } from './described.tsx';
import { type ConfigSchema, isObject, membersOf, typeOf, variantOf } from './schema.ts';

/** One of several ways: which, and what that one needs. */
export function ConfigChoice({
  schema,
  variants,
  path,
  value,
  faults,
  onChange,
}: ConfigFieldProps & { variants: readonly ConfigSchema[] }) {
  const given = isObject(value) ? value : isObject(schema.default) ? schema.default : {};
  const variant = variantOf(variants, given);
  const members = membersOf(variant);
  return (
    <Stack gap="sm">
      <NativeSelect
        label={schema.title}
        description={schema.description === undefined ? undefined : <Described text={schema.description} />}
        error={faults.get(path) ?? faults.get(`${path}.type`)}
        data={variants.map((one) => ({ value: typeOf(one), label: one.title ?? typeOf(one) }))}
        value={typeOf(variant)}
        onChange={({ currentTarget }) => onChange({ type: currentTarget.value })}
      />
      {members.length > 0 && (
        <Box pl="md" style={{ borderLeft: '2px solid var(--syncline-border)' }}>
          <ConfigMembers members={members} schema={variant} path={path} value={given} faults={faults} onChange={onChange} />
        </Box>
      )}
    </Stack>
  );
}
