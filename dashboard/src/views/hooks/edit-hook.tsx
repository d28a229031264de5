import { useParams } from 'wouter';
import { useAction, useApi } from '../../api/queries.ts';
import type { Hook } from '../../api/resources.ts';
import { LISTS } from '../../lists.ts';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { changedMembers } from '../../parts/form/changed-members.ts';
import { useDraft } from '../../parts/form/kept-draft.ts';
import { KEPT_WORDS, useUnsaved } from '../../parts/form/unsaved.tsx';
import { LoadedPage } from '../../parts/page/loaded-page.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { visible } from '../../parts/words/outside-text.tsx';
import { draftOf, hookInput, withoutSecret } from './hook-draft.ts';
import { HookForm, SECRETS_WORDS } from './hook-form.tsx';
import { useGoOn } from '../../parts/page/use-go-on.ts';

/** Changes a hook. Its address stays. */
export function EditHook() {
  const { id = '' } = useParams();
  const hook = useApi('GET /api/v1/datasync/hooks/{id}', { params: { id } });
  return (
    <LoadedPage query={hook} list={LISTS.hooks} isForm>
      {({ data }) => <Editor key={data.id} hook={data} />}
    </LoadedPage>
  );
}

function Editor({ hook }: { hook: Hook }) {
  const goOn = useGoOn();
  const back = `/hooks/${hook.id}`;
  const kept = useDraft({ initial: draftOf(hook), safe: withoutSecret });
  const unsaved = useUnsaved(kept.isDirty, `${KEPT_WORDS} ${SECRETS_WORDS}`);
  const change = useAction('PUT /api/v1/datasync/hooks/{id}', {
    quiet: true,
    done: 'Saved. The next call is judged by it.',
    onDone: () => {
      kept.forget();
      unsaved.release();
      goOn(back);
    },
  });
  const input = { params: { id: hook.id }, body: changedMembers(hookInput(kept.base), hookInput(kept.value)) };
  return (
    <>
      <PageHeader
        title={`Edit ${hook.name}`}
        parent={{ label: visible(hook.name), href: back }}
        about="Its address stays. Enter the secret that the sender shows; the one that is stored is kept unless you enter another."
      />
      <HookForm
        kept={kept}
        isNew={false}
        error={change.error}
        isSaving={change.isPending}
        onSave={() => change.mutate(input)}
        curl={<CurlButton operation="PUT /api/v1/datasync/hooks/{id}" input={input} />}
        back={back}
      />
      {unsaved.question}
    </>
  );
}
