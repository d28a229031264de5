import { NativeSelect, NumberInput, SimpleGrid, Switch } from '@mantine/core';
import type { Sync } from '../../../api/resources.ts';
import { Section } from '../../../parts/page/section.tsx';
import { REJECT_WORDS, SCHEMA_WORDS } from '../words.ts';
import type { Draft } from './draft.ts';

/** What happens when something is odd: a row, the fields, or how much would be deleted. */
export function SafetyPart({ draft, onChange }: { draft: Draft; onChange: (part: Partial<Draft>) => void }) {
  const { guard, onReject, schemaChanges } = draft;
  return (
    <Section title="When something is odd">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <NativeSelect
          label="A row that cannot be written"
          data={Object.entries(REJECT_WORDS).map(([value, label]) => ({ value, label }))}
          value={onReject}
          onChange={({ currentTarget }) => onChange({ onReject: currentTarget.value as Sync['on_reject'] })}
        />
        <NativeSelect
          label="The source gets other fields"
          data={Object.entries(SCHEMA_WORDS).map(([value, label]) => ({ value, label }))}
          value={schemaChanges}
          onChange={({ currentTarget }) => onChange({ schemaChanges: currentTarget.value as Sync['schema_changes'] })}
        />
        <NumberInput
          label="Ask before deleting more than"
          description="Of the rows of a target, by a mirror."
          suffix=" %"
          min={0}
          max={100}
          value={guard.max_delete_percent ?? 20}
          onChange={(value) => typeof value === 'number' && onChange({ guard: { ...guard, max_delete_percent: value } })}
        />
        <Switch
          mt="lg"
          label="The source may be empty"
          description="Otherwise a mirror that finds nothing where there was something asks first."
          checked={guard.allow_empty ?? false}
          onChange={({ currentTarget }) => onChange({ guard: { ...guard, allow_empty: currentTarget.checked } })}
        />
      </SimpleGrid>
    </Section>
  );
}
