import { useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { useAction } from '../../api/queries.ts';
import { LISTS } from '../../lists.ts';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { useDraft } from '../../parts/form/kept-draft.ts';
import { KEPT_WORDS, useUnsaved } from '../../parts/form/unsaved.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { HookAddress, type MadeHook } from './hook-address.tsx';
import { awaitsSecret, EMPTY, hookInput, unknownSecret, withoutSecret } from './hook-draft.ts';
import { HookForm, SECRETS_WORDS } from './hook-form.tsx';

/** Makes a hook, and shows its address. */
export function NewHook() {
  const [, navigate] = useLocation();
  const [params] = useSearchParams();
  const kept = useDraft({ initial: { ...EMPTY, syncId: params.get('sync') ?? '' }, safe: withoutSecret });
  const unsaved = useUnsaved(kept.isDirty, `${KEPT_WORDS} ${SECRETS_WORDS}`);
  const [made, setMade] = useState<MadeHook>();
  const creation = useAction('POST /api/v1/datasync/hooks', {
    quiet: true,
    onDone: ({ data }) => {
      kept.forget();
      unsaved.release();
      setMade(data);
    },
  });
  const [placeholder] = useState(unknownSecret);
  const awaited = awaitsSecret(kept.value);
  const input = { body: { ...hookInput(kept.value), ...(awaited && { secret: placeholder }) } };
  return (
    <>
      <PageHeader
        title="New hook"
        parent={LISTS.hooks}
        about="An address for one sender, which signs its calls. What is not signed as it says is refused."
      />
      <HookForm
        kept={kept}
        isNew
        error={creation.error}
        isSaving={creation.isPending}
        onSave={() => creation.mutate(input)}
        curl={<CurlButton operation="POST /api/v1/datasync/hooks" input={input} />}
        back="/hooks"
      />
      {unsaved.question}
      {made && <HookAddress made={made} onClose={() => navigate(awaited ? `/hooks/${made.id}/edit` : `/hooks/${made.id}`)} />}
    </>
  );
}
