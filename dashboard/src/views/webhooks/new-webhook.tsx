import { useState } from 'react';
import { useLocation } from 'wouter';
import { useAction } from '../../api/queries.ts';
import { LISTS } from '../../lists.ts';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { useDraft } from '../../parts/form/kept-draft.ts';
import { KEPT_WORDS, useUnsaved } from '../../parts/form/unsaved.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { EMPTY, webhookInput, withoutSecrets } from './webhook-draft.ts';
import { SECRETS_WORDS, WebhookForm } from './webhook-form.tsx';
import { type NewSecret, WebhookSecret } from './webhook-secret.tsx';

/** Makes a webhook, and shows its secret. */
export function NewWebhook() {
  const [, navigate] = useLocation();
  const kept = useDraft({ initial: EMPTY, safe: withoutSecrets });
  const unsaved = useUnsaved(kept.isDirty, `${KEPT_WORDS} ${SECRETS_WORDS}`);
  const [made, setMade] = useState<NewSecret>();
  const creation = useAction('POST /api/v1/webhooks', {
    quiet: true,
    onDone: ({ data }) => {
      kept.forget();
      unsaved.release();
      setMade(data);
    },
  });
  const { signature, from } = kept.value;
  const input = { body: { ...webhookInput(kept.value), signature, ...(from === 'start' && { from }) } };
  return (
    <>
      <PageHeader
        title="New webhook"
        parent={LISTS.webhooks}
        about="A name and a URL are enough. It is signed by Standard Webhooks; you see the secret once, when it is made."
      />
      <WebhookForm
        kept={kept}
        isNew
        error={creation.error}
        isSaving={creation.isPending}
        onSave={() => creation.mutate(input)}
        curl={<CurlButton operation="POST /api/v1/webhooks" input={input} />}
        back="/webhooks"
      />
      {unsaved.question}
      {made && <WebhookSecret made={made} onClose={() => navigate(`/webhooks/${made.id}`)} />}
    </>
  );
}
