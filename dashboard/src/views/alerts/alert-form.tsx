import { Anchor, Button, Group, MultiSelect, Stack, Switch, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import type { ApiError } from '../../api/errors.ts';
import { useSyncNames } from '../../api/use-sync-names.ts';
import { faultsByField, incomplete } from '../../parts/form/faults.ts';
import { useFirstFault } from '../../parts/form/first-fault.ts';
import type { KeptDraft } from '../../parts/form/kept-draft.ts';
import { RestoredNote } from '../../parts/form/restored-note.tsx';
import { ErrorState } from '../../parts/page/error-state.tsx';
import { Section } from '../../parts/page/section.tsx';
import { visible } from '../../parts/words/outside-text.tsx';
import { useMay } from '../../shell/me.tsx';
import { type AlertDraft, alertPlace, missingIn } from './alert-draft.ts';
import { ChannelFields } from './channel-fields.tsx';
import { CHANNELS } from './channels.ts';
import { RULES } from './rules.ts';
import { RulesField } from './rules-field.tsx';
import { WhenFields } from './when-fields.tsx';

interface AlertFormProps {
  kept: KeptDraft<AlertDraft>;
  isNew: boolean;
  error: ApiError | null;
  isSaving: boolean;
  onSave: () => void;
  /** The same with curl. */
  curl: ReactNode;
  /** Where one goes without saving. */
  back: string;
}

export const SECRETS_WORDS = 'The address of the channel is not kept: enter it again.';

/** Who is told, of what, and when. */
export function AlertForm({ kept, isNew, error, isSaving, onSave, curl, back }: AlertFormProps) {
  const draft = kept.value;
  const may = useMay();
  const [tries, setTries] = useState(0);
  const change = (part: Partial<AlertDraft>): void => kept.set({ ...draft, ...part });
  const missing = incomplete(missingIn(draft));
  const failure = tries > 0 && missing ? missing : error;
  const faults = faultsByField(failure);
  const form = useFirstFault<HTMLFormElement>(error ?? tries);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTries(missing ? tries + 1 : 0);
    if (!missing) onSave();
  };
  const { title, about } = CHANNELS[draft.type];
  return (
    <form onSubmit={submit} noValidate ref={form}>
      <RestoredNote draft={kept} more={SECRETS_WORDS} />
      <Stack gap="md">
        <Section title={title} about={about}>
          <Stack gap="md" maw={720}>
            <TextInput
              label="Name"
              description="What people call it."
              withAsterisk
              maxLength={100}
              value={draft.name}
              error={faults.get('name')}
              onChange={({ currentTarget }) => change({ name: currentTarget.value })}
            />
            <ChannelFields draft={draft} faults={faults} onChange={change} />
          </Stack>
        </Section>
        <Section title="What it tells of" about="Once when something begins and once when it is over, not once for each run.">
          <Stack gap="md" maw={720}>
            <RulesField rules={draft.rules} faults={faults} onChange={(rules) => change({ rules })} />
            {may('datasync:read') && draft.rules.some(({ type }) => RULES[type].ofSyncs) && (
              <SyncsField draft={draft} faults={faults} onChange={change} />
            )}
          </Stack>
        </Section>
        <Section title="When">
          <Stack maw={720}>
            <WhenFields draft={draft} faults={faults} onChange={change} />
          </Stack>
        </Section>
        {failure && <ErrorState error={failure} title="It was not saved" place={alertPlace} />}
        <Group gap="xs">
          <Button type="submit" loading={isSaving}>
            {isNew ? 'Create' : 'Save'}
          </Button>
          {curl}
          <Anchor component={Link} href={back} size="sm">
            Cancel
          </Anchor>
        </Group>
      </Stack>
    </form>
  );
}

interface SyncsFieldProps {
  draft: AlertDraft;
  faults: ReadonlyMap<string, string>;
  onChange: (part: Partial<AlertDraft>) => void;
}

/** All synchronizations, or some. */
function SyncsField({ draft: { syncIds }, faults, onChange }: SyncsFieldProps) {
  const { names } = useSyncNames();
  // What is chosen but not known any more can still be seen and removed.
  const gone = (syncIds ?? []).filter((id) => !names.has(id)).map((id) => ({ value: id, label: id }));
  return (
    <>
      <Switch
        label="All synchronizations"
        description="Also those that are made later."
        checked={syncIds === null}
        onChange={({ currentTarget }) => onChange({ syncIds: currentTarget.checked ? null : [] })}
      />
      {syncIds !== null && (
        <MultiSelect
          label="Synchronizations"
          data={[...[...names].map(([value, name]) => ({ value, label: visible(name) })), ...gone]}
          value={[...syncIds]}
          error={faults.get('sync_ids') ?? [...faults].find(([path]) => path.startsWith('sync_ids['))?.[1]}
          onChange={(chosen) => onChange({ syncIds: chosen })}
          searchable
          nothingFoundMessage="No synchronization has such a name."
          comboboxProps={{ shadow: 'md' }}
        />
      )}
    </>
  );
}
