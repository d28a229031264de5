import { useParams } from 'wouter';
import { useAction, useApi } from '../../api/queries.ts';
import type { Webhook } from '../../api/resources.ts';
import { LISTS } from '../../lists.ts';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { changedMembers } from '../../parts/form/changed-members.ts';
import { useDraft } from '../../parts/form/kept-draft.ts';
import { KEPT_WORDS, useUnsaved } from '../../parts/form/unsaved.tsx';
import { LoadedPage } from '../../parts/page/loaded-page.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { visible } from '../../parts/words/outside-text.tsx';
import { draftOf, webhookInput, withoutSecrets } from './webhook-draft.ts';
import { SECRETS_WORDS, WebhookForm } from './webhook-form.tsx';
import { useGoOn } from '../../parts/page/use-go-on.ts';

/** Changes a webhook. */
export function EditWebhook() {
  const { id = '' } = useParams();
  const webhook = useApi('GET /api/v1/webhooks/{id}', { params: { id } });
  return (
    <LoadedPage query={webhook} list={LISTS.webhooks} isForm>
      {({ data }) => <Editor key={data.id} webhook={data} />}
    </LoadedPage>
  );
}

function Editor({ webhook }: { webhook: Webhook }) {
  const goOn = useGoOn();
  const back = `/webhooks/${webhook.id}`;
  const kept = useDraft({ initial: draftOf(webhook), safe: withoutSecrets });
  const unsaved = useUnsaved(kept.isDirty, `${KEPT_WORDS} ${SECRETS_WORDS}`);
  const change = useAction('PUT /api/v1/webhooks/{id}', {
    quiet: true,
    done: 'Saved. The next delivery uses it.',
    onDone: () => {
      kept.forget();
      unsaved.release();
      goOn(back);
    },
  });
  const input = { params: { id: webhook.id }, body: changedMembers(webhookInput(kept.base), webhookInput(kept.value)) };
  return (
    <>
      <PageHeader
        title={`Edit ${webhook.name}`}
        parent={{ label: visible(webhook.name), href: back }}
        about="It counts from the next delivery on, also for what is waiting. It then gets what your key may read."
      />
      <WebhookForm
        kept={kept}
        isNew={false}
        error={change.error}
        isSaving={change.isPending}
        onSave={() => change.mutate(input)}
        curl={<CurlButton operation="PUT /api/v1/webhooks/{id}" input={input} />}
        back={back}
      />
      {unsaved.question}
    </>
  );
}
