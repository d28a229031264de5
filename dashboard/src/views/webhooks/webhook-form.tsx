import { Anchor, Button, Group, NativeSelect, NumberInput, SimpleGrid, Stack, TagsInput, Textarea, TextInput } from '@mantine/core';
import { CODE_STYLES } from '../../parts/form/code-styles.ts';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import type { ApiError } from '../../api/errors.ts';
import { faultsByField, incomplete } from '../../parts/form/faults.ts';
import { useFirstFault } from '../../parts/form/first-fault.ts';
import type { KeptDraft } from '../../parts/form/kept-draft.ts';
import { RestoredNote } from '../../parts/form/restored-note.tsx';
import { ErrorState } from '../../parts/page/error-state.tsx';
import { Section } from '../../parts/page/section.tsx';
import { chosenTypes, EVENT_TYPES } from './event-types.ts';
import { HeadersField } from './headers-field.tsx';
import { missingIn, type WebhookDraft, webhookPlace } from './webhook-draft.ts';
import { PAYLOAD_WORDS, SIGNATURE_WORDS } from './webhook-words.ts';

interface WebhookFormProps {
  kept: KeptDraft<WebhookDraft>;
  isNew: boolean;
  error: ApiError | null;
  isSaving: boolean;
  onSave: () => void;
  /** The same with curl. */
  curl: ReactNode;
  /** Where one goes without saving. */
  back: string;
}

export const SECRETS_WORDS = 'Values of headers are not kept: enter them again.';

/** Where to, of what, and how. */
export function WebhookForm({ kept, isNew, error, isSaving, onSave, curl, back }: WebhookFormProps) {
  const draft = kept.value;
  const [tries, setTries] = useState(0);
  const change = (part: Partial<WebhookDraft>): void => kept.set({ ...draft, ...part });
  const missing = incomplete(missingIn(draft));
  const failure = tries > 0 && missing ? missing : error;
  const faults = faultsByField(failure);
  const form = useFirstFault<HTMLFormElement>(error ?? tries);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTries(missing ? tries + 1 : 0);
    if (!missing) onSave();
  };
  return (
    <form onSubmit={submit} noValidate ref={form}>
      <RestoredNote draft={kept} more={SECRETS_WORDS} />
      <Stack gap="md">
        <Section title="Endpoint">
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
            <TextInput
              label="URL"
              description="Each event is sent there by POST. It has 15 seconds to answer with a status from 200 to 299; redirects are not followed."
              placeholder="https://shop.example.com/webhooks"
              type="url"
              withAsterisk
              maxLength={2048}
              value={draft.url}
              error={faults.get('url')}
              onChange={({ currentTarget }) => change({ url: currentTarget.value })}
            />
            <HeadersField headers={draft.headers} faults={faults} onChange={(headers) => change({ headers })} />
          </Stack>
        </Section>
        <Section title="What is sent">
          <Stack gap="md" maw={720}>
            <TagsInput
              label="Events"
              description="Types of events; a star stands for any: order.* is all of orders. It never gets what this key may not read."
              withAsterisk
              data={EVENT_TYPES}
              value={[...draft.types]}
              error={faults.get('types') ?? [...faults].find(([path]) => path.startsWith('types['))?.[1]}
              clearable
              clearButtonProps={{ 'aria-label': 'Remove all events' }}
              comboboxProps={{ shadow: 'md' }}
              onChange={(types) => change({ types: chosenTypes(draft.types, types) })}
            />
            <Textarea
              label="Condition"
              description="A CEL expression over type, object_id and data: only events for which it is true are sent. Empty: all of them."
              placeholder="data.total > 100.0"
              autosize
              minRows={1}
              maxRows={8}
              spellCheck={false}
              styles={CODE_STYLES}
              value={draft.condition}
              error={faults.get('condition')}
              onChange={({ currentTarget }) => change({ condition: currentTarget.value })}
            />
            <NativeSelect
              label="Payload"
              data={choices(PAYLOAD_WORDS)}
              value={draft.payload}
              error={faults.get('payload')}
              onChange={({ currentTarget }) => change({ payload: currentTarget.value as WebhookDraft['payload'] })}
            />
            {isNew && (
              <>
                <NativeSelect
                  label="Signature"
                  description="How the receiver knows that it comes from here: by Standard Webhooks, either way."
                  data={choices(SIGNATURE_WORDS)}
                  value={draft.signature}
                  error={faults.get('signature')}
                  onChange={({ currentTarget }) => change({ signature: currentTarget.value as WebhookDraft['signature'] })}
                />
                <NativeSelect
                  label="Begin with"
                  data={[
                    { value: 'now', label: 'What happens from now on' },
                    { value: 'start', label: 'Everything that the feed still has' },
                  ]}
                  value={draft.from}
                  error={faults.get('from')}
                  onChange={({ currentTarget }) => change({ from: currentTarget.value as WebhookDraft['from'] })}
                />
              </>
            )}
          </Stack>
        </Section>
        <Section title="Speed" about="What concerns the same object, such as one order, is always sent in order, one at a time.">
          <SimpleGrid cols={{ base: 1, sm: 2 }} maw={720}>
            <NumberInput
              label="At the same time"
              description="Deliveries under way at once, 1 to 64."
              min={1}
              max={64}
              allowDecimal={false}
              value={draft.maxInFlight}
              error={faults.get('max_in_flight')}
              onChange={(maxInFlight) => change({ maxInFlight })}
            />
            <NumberInput
              label="At most per second"
              description="Empty: as fast as it answers."
              min={1}
              allowDecimal={false}
              value={draft.rate}
              error={faults.get('rate')}
              onChange={(rate) => change({ rate })}
            />
          </SimpleGrid>
        </Section>
        {failure && <ErrorState error={failure} title="It was not saved" place={webhookPlace} />}
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

function choices(words: Readonly<Record<string, string>>): { value: string; label: string }[] {
  return Object.entries(words).map(([value, label]) => ({ value, label }));
}
