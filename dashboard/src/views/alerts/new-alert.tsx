import '../../parts/form/choices.css';
import { Anchor, SimpleGrid, Text, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { useAction } from '../../api/queries.ts';
import { LISTS } from '../../lists.ts';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { useFilter } from '../../parts/filter/use-filter.ts';
import { useDraft } from '../../parts/form/kept-draft.ts';
import { KEPT_WORDS, useUnsaved } from '../../parts/form/unsaved.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { useMay } from '../../shell/me.tsx';
import { alertInput, emptyDraft, withoutSecret } from './alert-draft.ts';
import { AlertForm, SECRETS_WORDS } from './alert-form.tsx';
import { AlertSecret, type MadeSecret } from './alert-secret.tsx';
import { CHANNEL_TYPES, CHANNELS, type ChannelType } from './channels.ts';
import { RULES } from './rules.ts';
import { useGoOn } from '../../parts/page/use-go-on.ts';

/** First by which way, then of what. */
export function NewAlert() {
  const [type, setType] = useFilter('type');
  const chosen = CHANNEL_TYPES.find((one) => one === type);
  return (
    <>
      <PageHeader
        title="New alert"
        parent={LISTS.alerts}
        about={
          chosen ? (
            <>
              Save it and send a test.{' '}
              <Anchor component="button" type="button" size="sm" onClick={() => setType('')}>
                Choose another channel
              </Anchor>
            </>
          ) : (
            'How do you want to be told?'
          )
        }
      />
      {chosen ? (
        <Creation key={chosen} type={chosen} />
      ) : (
        <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="md">
          {CHANNEL_TYPES.map((one) => (
            <UnstyledButton key={one} className="surface choice" p="md" onClick={() => setType(one)}>
              <Text fw={600}>{CHANNELS[one].title}</Text>
              <Text size="sm" c="dimmed">
                {CHANNELS[one].about}
              </Text>
            </UnstyledButton>
          ))}
        </SimpleGrid>
      )}
    </>
  );
}

function Creation({ type }: { type: ChannelType }) {
  const goOn = useGoOn();
  const may = useMay();
  const empty = emptyDraft(type);
  const initial = { ...empty, rules: empty.rules.filter(({ type: rule }) => RULES[rule].scope === undefined || may(RULES[rule].scope)) };
  const kept = useDraft({ initial, safe: withoutSecret });
  const unsaved = useUnsaved(kept.isDirty, `${KEPT_WORDS} ${SECRETS_WORDS}`);
  const [made, setMade] = useState<MadeSecret>();
  const creation = useAction('POST /api/v1/alerts', {
    quiet: true,
    done: 'Created. Send a test to see whether it arrives.',
    onDone: ({ data }) => {
      kept.forget();
      unsaved.release();
      if (data.secret === null) goOn(`/alerts/${data.id}`);
      else setMade({ ...data, secret: data.secret });
    },
  });
  const input = { body: alertInput(kept.value) };
  return (
    <>
      <AlertForm
        kept={kept}
        isNew
        error={creation.error}
        isSaving={creation.isPending}
        onSave={() => creation.mutate(input)}
        curl={<CurlButton operation="POST /api/v1/alerts" input={input} />}
        back="/alerts"
      />
      {unsaved.question}
      {made && <AlertSecret made={made} onClose={() => goOn(`/alerts/${made.id}`)} />}
    </>
  );
}
