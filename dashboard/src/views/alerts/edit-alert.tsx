import { useState } from 'react';
import { useParams } from 'wouter';
import { useAction, useApi } from '../../api/queries.ts';
import type { AlertEntry } from '../../api/resources.ts';
import { LISTS } from '../../lists.ts';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { changedMembers } from '../../parts/form/changed-members.ts';
import { useDraft } from '../../parts/form/kept-draft.ts';
import { KEPT_WORDS, useUnsaved } from '../../parts/form/unsaved.tsx';
import { LoadedPage } from '../../parts/page/loaded-page.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { visible } from '../../parts/words/outside-text.tsx';
import { alertInput, draftOf, withoutSecret } from './alert-draft.ts';
import { AlertForm, SECRETS_WORDS } from './alert-form.tsx';
import { AlertSecret, type MadeSecret } from './alert-secret.tsx';
import { useGoOn } from '../../parts/page/use-go-on.ts';

/** Changes an alert. */
export function EditAlert() {
  const { id = '' } = useParams();
  const alert = useApi('GET /api/v1/alerts/{id}', { params: { id } });
  return (
    <LoadedPage query={alert} list={LISTS.alerts} isForm>
      {({ data }) => <Editor key={data.id} alert={data} />}
    </LoadedPage>
  );
}

function Editor({ alert }: { alert: AlertEntry }) {
  const goOn = useGoOn();
  const back = `/alerts/${alert.id}`;
  const kept = useDraft({ initial: draftOf(alert), safe: withoutSecret });
  const unsaved = useUnsaved(kept.isDirty, `${KEPT_WORDS} ${SECRETS_WORDS}`);
  const [made, setMade] = useState<MadeSecret>();
  const change = useAction('PUT /api/v1/alerts/{id}', {
    quiet: true,
    done: 'Saved.',
    onDone: ({ data }) => {
      kept.forget();
      unsaved.release();
      if (data.secret === null) goOn(back);
      else setMade({ ...data, secret: data.secret });
    },
  });
  const input = { params: { id: alert.id }, body: changedMembers(alertInput(kept.base), alertInput(kept.value)) };
  return (
    <>
      <PageHeader
        title={`Edit ${alert.name}`}
        parent={{ label: visible(alert.name), href: back }}
        about="The address of the channel is kept unless you enter another."
      />
      <AlertForm
        kept={kept}
        isNew={false}
        error={change.error}
        isSaving={change.isPending}
        onSave={() => change.mutate(input)}
        curl={<CurlButton operation="PUT /api/v1/alerts/{id}" input={input} />}
        back={back}
      />
      {unsaved.question}
      {made && <AlertSecret made={made} onClose={() => goOn(back)} />}
    </>
  );
}
