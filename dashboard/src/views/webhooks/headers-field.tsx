import { Button, Fieldset, Group, Stack, Text, TextInput } from '@mantine/core';
import { SecretField } from '../../parts/form/secret-field.tsx';
import type { HeaderDraft } from './webhook-draft.ts';

interface HeadersFieldProps {
  headers: readonly HeaderDraft[];
  faults: ReadonlyMap<string, string>;
  onChange: (headers: readonly HeaderDraft[]) => void;
}

/** Headers of one's own, such as a key that the receiver wants. Their values are secrets. */
export function HeadersField({ headers, faults, onChange }: HeadersFieldProps) {
  const replace = (place: number, part: Partial<HeaderDraft>): void =>
    onChange(headers.map((header, at) => (at === place ? { ...header, ...part } : header)));
  return (
    <Fieldset legend="Headers">
      <Stack gap="sm">
        <Text size="xs" c="dimmed">
          Sent with every delivery, such as a key that the receiver asks for. Values are stored encrypted and not shown again.
        </Text>
        {faults.has('headers') && (
          <Text size="xs" c="var(--mantine-color-error)">
            {faults.get('headers')}
          </Text>
        )}
        {headers.map(({ name, value }, place) => (
          <Group
            // oxlint-disable-next-line react/no-array-index-key -- names are being typed: their place tells them apart
            key={place}
            gap="xs"
            align="flex-end"
            role="group"
            aria-label={`Header ${place + 1}`}
          >
            <TextInput
              label="Name"
              placeholder="X-Api-Key"
              maxLength={100}
              flex="1 1 160px"
              value={name}
              error={name.trim() === '' ? faults.get('headers[].name') : undefined}
              onChange={({ currentTarget }) => replace(place, { name: currentTarget.value })}
            />
            <div style={{ flex: '1 1 200px' }}>
              <SecretField
                label="Value"
                description={undefined}
                withAsterisk={false}
                removable={false}
                value={value}
                error={faults.get(`headers.${name.trim()}`)}
                onChange={(entered) => replace(place, { value: entered ?? '' })}
              />
            </div>
            <Button
              variant="subtle"
              color="gray"
              aria-label={`Remove header ${place + 1}`}
              onClick={() => onChange(headers.filter((_, at) => at !== place))}
            >
              Remove
            </Button>
          </Group>
        ))}
        <div>
          <Button size="xs" variant="default" onClick={() => onChange([...headers, { name: '', value: '' }])}>
            Add a header
          </Button>
        </div>
      </Stack>
    </Fieldset>
  );
}
