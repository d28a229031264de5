import { NativeSelect, NumberInput, SimpleGrid, Switch } from '@mantine/core';
import type { Sync } from '../../../api/resources.ts';
import { Section } from '../../../parts/page/section.tsx';
import { REJECT_WORDS, SCHEMA_WORDS } from '../words.ts';
import type { SyncDraft } from './draft.ts';

/** What happens to rejected rows and schema changes, and when the guard asks for approval. */
export function SafetyPart({ draft, onChange }: { draft: SyncDraft; onChange: (part: Partial<SyncDraft>) => void }) {
  const { guard, onReject, schemaChanges } = draft;
  return (
    <Section title="Errors and safety">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <NativeSelect
          label="Rejected rows"
          data={Object.entries(REJECT_WORDS).map(([value, label]) => ({ value, label }))}
          value={onReject}
          onChange={({ currentTarget }) => onChange({ onReject: currentTarget.value as Sync['on_reject'] })}
        />
        <NativeSelect
          label="Schema changes"
          data={Object.entries(SCHEMA_WORDS).map(([value, label]) => ({ value, label }))}
          value={schemaChanges}
          onChange={({ currentTarget }) => onChange({ schemaChanges: currentTarget.value as Sync['schema_changes'] })}
        />
        <NumberInput
          label="Delete limit"
          description="A mirror that would delete more of the rows at the target needs approval."
          suffix=" %"
          min={0}
          max={100}
          value={guard.max_delete_percent ?? 20}
          onChange={(value) => typeof value === 'number' && onChange({ guard: { ...guard, max_delete_percent: value } })}
        />
        <Switch
          mt="lg"
          label="Allow an empty source"
          description="Otherwise a mirror that finds no rows where there were some needs approval."
          checked={guard.allow_empty ?? false}
          onChange={({ currentTarget }) => onChange({ guard: { ...guard, allow_empty: currentTarget.checked } })}
        />
      </SimpleGrid>
    </Section>
  );
}
