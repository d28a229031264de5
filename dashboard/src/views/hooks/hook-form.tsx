import { Anchor, Button, Group, NativeSelect, Select, Stack, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import type { ApiError } from '../../api/errors.ts';
import { useSyncNames } from '../../api/use-sync-names.ts';
import { faultsByField, incomplete } from '../../parts/form/faults.ts';
import { useFirstFault } from '../../parts/form/first-fault.ts';
import type { KeptDraft } from '../../parts/form/kept-draft.ts';
import { RestoredNote } from '../../parts/form/restored-note.tsx';
import { SecretField } from '../../parts/form/secret-field.tsx';
import { ErrorState } from '../../parts/page/error-state.tsx';
import { Section } from '../../parts/page/section.tsx';
import { visible } from '../../parts/words/outside-text.tsx';
import { type HookDraft, hookPlace, missingIn } from './hook-draft.ts';
import { SCHEMES } from './schemes.ts';
import { SetUpSteps } from './set-up-steps.tsx';

interface HookFormProps {
  kept: KeptDraft<HookDraft>;
  isNew: boolean;
  error: ApiError | null;
  isSaving: boolean;
  onSave: () => void;
  /** The same with curl. */
  curl: ReactNode;
  /** Where one goes without saving. */
  back: string;
}

const LATER = {
  sender: 'It is shown there once it has the address: leave this empty until then. Every call is refused meanwhile.',
  here: 'Left empty, one is made and shown once.',
};

export const SECRETS_WORDS = 'The secret is not kept: enter it again.';

/** Who calls, how that is proven, and what a call starts. */
export function HookForm({ kept, isNew, error, isSaving, onSave, curl, back }: HookFormProps) {
  const draft = kept.value;
  const { names } = useSyncNames();
  const [tries, setTries] = useState(0);
  const change = (part: Partial<HookDraft>): void => kept.set({ ...draft, ...part });
  const missing = incomplete(missingIn(draft));
  const failure = tries > 0 && missing ? missing : error;
  const faults = faultsByField(failure);
  const form = useFirstFault<HTMLFormElement>(error ?? tries);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTries(missing ? tries + 1 : 0);
    if (!missing) onSave();
  };
  const { about, secret, from } = SCHEMES[draft.scheme];
  return (
    <form onSubmit={submit} noValidate ref={form}>
      <RestoredNote draft={kept} more={SECRETS_WORDS} />
      <Stack gap="md">
        <Section title="Hook">
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
            <NativeSelect
              label="Sender"
              description={about}
              data={Object.entries(SCHEMES).map(([value, { title }]) => ({ value, label: title }))}
              value={draft.scheme}
              error={faults.get('scheme')}
              onChange={({ currentTarget }) => change({ scheme: currentTarget.value as HookDraft['scheme'] })}
            />
            {secret !== undefined && (
              <SecretField
                label="Secret"
                description={isNew ? `${secret} ${LATER[from]}` : secret}
                withAsterisk={!isNew}
                removable={false}
                value={draft.secret}
                error={faults.get('secret')}
                onChange={(entered) => change({ secret: entered })}
              />
            )}
            {draft.scheme === 'secret' && (
              <TextInput
                label="Header"
                description="The header that carries the secret."
                withAsterisk
                maxLength={100}
                value={draft.header}
                error={faults.get('header')}
                onChange={({ currentTarget }) => change({ header: currentTarget.value })}
              />
            )}
            <Select
              label="Synchronization"
              description="A call starts it: at most one run at a time, and never missing the last call. Without one, read the calls as a source of the type Hook."
              placeholder="None"
              data={[...names].map(([value, name]) => ({ value, label: visible(name) }))}
              value={draft.syncId === '' ? null : draft.syncId}
              error={faults.get('sync_id')}
              onChange={(id) => change({ syncId: id ?? '' })}
              searchable
              clearable
              clearButtonProps={{ 'aria-label': 'No synchronization' }}
              nothingFoundMessage="No synchronization has such a name."
              comboboxProps={{ shadow: 'md' }}
            />
          </Stack>
        </Section>
        <Section title="At the sender" about={isNew ? 'You see the address once, when the hook is made.' : undefined}>
          <SetUpSteps scheme={draft.scheme} />
        </Section>
        {failure && <ErrorState error={failure} title="It was not saved" place={hookPlace} />}
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
