import { Stack, TagsInput, Textarea, TextInput } from '@mantine/core';
import { SecretField } from '../../parts/form/secret-field.tsx';
import type { AlertDraft } from './alert-draft.ts';
import { CHANNELS } from './channels.ts';

interface ChannelFieldsProps {
  draft: AlertDraft;
  faults: ReadonlyMap<string, string>;
  onChange: (part: Partial<AlertDraft>) => void;
}

/** What a channel needs. */
export function ChannelFields({ draft, faults, onChange }: ChannelFieldsProps) {
  const { hint, placeholder } = CHANNELS[draft.type];
  if (draft.type !== 'email') {
    return (
      <>
        <SecretField
          label="URL"
          description={`${hint} It is a secret, such as ${placeholder}`}
          withAsterisk
          removable={false}
          value={draft.address}
          error={faults.get('channel.url')}
          onChange={(address) => onChange({ address })}
        />
        {draft.type === 'webhook' && (
          <SecretField
            label="Signing secret"
            description="Signs each message as Standard Webhooks say (whsec_…). Left empty, one is made and shown once."
            withAsterisk={false}
            value={draft.secret}
            error={faults.get('channel.secret')}
            onChange={(secret) => onChange({ secret })}
          />
        )}
      </>
    );
  }
  return (
    <Stack gap="md">
      <SecretField
        label="Mail server"
        description={`${hint} Such as ${placeholder}`}
        withAsterisk
        removable={false}
        value={draft.address}
        error={faults.get('channel.smtp_url')}
        onChange={(address) => onChange({ address })}
      />
      <TextInput
        label="From"
        description="The sender that the mail server allows."
        placeholder="syncline@example.com"
        withAsterisk
        maxLength={320}
        value={draft.from}
        error={faults.get('channel.from')}
        onChange={({ currentTarget }) => onChange({ from: currentTarget.value })}
      />
      <TagsInput
        label="To"
        description="One or more addresses; Enter adds one."
        placeholder={draft.to.length === 0 ? 'operations@example.com' : ''}
        withAsterisk
        value={[...draft.to]}
        error={faults.get('channel.to') ?? [...faults].find(([path]) => path.startsWith('channel.to['))?.[1]}
        splitChars={[',', ';', ' ']}
        acceptValueOnBlur
        onChange={(to) => onChange({ to })}
      />
      <Textarea
        label="Authority"
        description="Only where the certificate of the mail server is from an authority of your own: its certificate, in PEM."
        autosize
        minRows={1}
        maxRows={8}
        spellCheck={false}
        value={draft.ca}
        error={faults.get('channel.ca')}
        onChange={({ currentTarget }) => onChange({ ca: currentTarget.value })}
      />
    </Stack>
  );
}
