import { NativeSelect, NumberInput, SimpleGrid, Switch, TextInput } from '@mantine/core';
import type { Sync } from '../../../api/resources.ts';
import { Section } from '../../../parts/page/section.tsx';
import { GAP_WORDS, REJECT_WORDS, SCHEMA_WORDS } from '../words.ts';
import type { SyncDraft } from './draft.ts';

interface SafetyPartProps {
  draft: SyncDraft;
  faults: ReadonlyMap<string, string>;
  onChange: (part: Partial<SyncDraft>) => void;
}

/** What happens to rejected rows and schema changes, when the guard asks for approval, and what when a log is lost. */
export function SafetyPart({ draft, faults, onChange }: SafetyPartProps) {
  const { guard, onReject, schemaChanges, live } = draft;
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
          description={`${live ? 'A transaction or a load' : 'A mirror'} that would delete more of the rows at the target needs approval.`}
          suffix=" %"
          min={0}
          max={100}
          value={guard.max_delete_percent ?? 20}
          onChange={(value) => typeof value === 'number' && onChange({ guard: { ...guard, max_delete_percent: value } })}
        />
        <Switch
          mt="lg"
          label="Allow an empty source"
          description={
            live
              ? 'Otherwise a TRUNCATE at the source, or a load that finds no rows where there were some, needs approval.'
              : 'Otherwise a mirror that finds no rows where there were some needs approval.'
          }
          checked={guard.allow_empty ?? false}
          onChange={({ currentTarget }) => onChange({ guard: { ...guard, allow_empty: currentTarget.checked } })}
        />
        <TextInput
          label="Undo: keep for"
          description="What each run replaces is kept at the target for so long, such as 12h or 7d, so that runs can be undone. Empty: nothing is kept."
          placeholder="7d"
          value={draft.undoKeep ?? ''}
          error={faults.get('undo.keep') ?? faults.get('undo')}
          onChange={({ currentTarget }) => onChange({ undoKeep: currentTarget.value })}
        />
        <TextInput
          label="Verify every"
          description="The contents of both ends are compared by themselves so often, such as 24h or 7d. Empty: only when you ask for it."
          placeholder="24h"
          value={draft.verifyEvery ?? ''}
          error={faults.get('verify.every') ?? faults.get('verify')}
          onChange={({ currentTarget }) => onChange({ verifyEvery: currentTarget.value })}
        />
        {live && (
          <>
            <NativeSelect
              label="When changes are lost"
              description="The source may remove its log before it was read, or be replaced by another server. It is noticed within a minute."
              data={Object.entries(GAP_WORDS).map(([value, label]) => ({ value, label }))}
              value={draft.onGap}
              onChange={({ currentTarget }) => onChange({ onGap: currentTarget.value as SyncDraft['onGap'] })}
            />
            <TextInput
              label="Log kept at the source"
              description="At most, such as 500 MB or 10 GB. Beyond it the source may forget its log, so that its disk does not fill up, and the streams are loaded anew."
              value={draft.maxRetained}
              error={faults.get('max_retained')}
              onChange={({ currentTarget }) => onChange({ maxRetained: currentTarget.value })}
            />
          </>
        )}
      </SimpleGrid>
    </Section>
  );
}
