import { useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { call } from '../../../api/client.ts';
import { useAction } from '../../../api/queries.ts';
import { notifyDone, notifyFailed } from '../../../parts/action/notify.ts';
import { sentenceOf } from '../../../api/errors.ts';
import { useDraft } from '../../../parts/form/kept-draft.ts';
import { visible } from '../../../parts/words/outside-text.tsx';
import { PageHeader } from '../../../parts/page/page-header.tsx';
import { RestoredNote } from '../../../parts/form/restored-note.tsx';
import { KEPT_WORDS, useUnsaved } from '../../../parts/form/unsaved.tsx';
import { useSources } from '../source-names.ts';
import { Builder } from './builder.tsx';
import { type SyncDraft, EMPTY, newStream, syncInput } from './draft.ts';

/** Builds a synchronization from nothing, or from a stream that the user was looking at. */
export function NewSync() {
  const [, navigate] = useLocation();
  const [params] = useSearchParams();
  const { sources } = useSources();
  const stream = params.get('stream');
  const kept = useDraft<SyncDraft>({
    initial: { ...EMPTY, sourceId: params.get('source') ?? '', streams: stream === null ? [] : [newStream(stream)] },
  });
  const unsaved = useUnsaved(kept.isDirty, KEPT_WORDS);
  const draft = kept.value;
  const [sent, setSent] = useState(draft);
  const creation = useAction('POST /api/v1/datasync/sync', { quiet: true });
  const find = (id: string) => sources?.find((source) => source.id === id);
  const input = { body: syncInput(draft, find(draft.sourceId), find(draft.targetId)) };

  const save = async (runs: boolean): Promise<void> => {
    setSent(draft);
    const { data } = await creation.mutateAsync(input);
    kept.forget();
    unsaved.release();
    notifyDone(`Saved "${visible(data.name)}".`);
    if (runs && !draft.live)
      await call('POST /api/v1/datasync/sync/{id}/runs', { params: { id: data.id } }).catch((error) => notifyFailed(sentenceOf(error)));
    navigate(`/syncs/${data.id}`);
  };
  return (
    <>
      <PageHeader
        title="New synchronization"
        parent={{ label: 'Synchronizations', href: '/syncs' }}
        about="A source, a target and a stream are enough. Everything else is chosen automatically, and can be changed."
      />
      <RestoredNote draft={kept} />
      <Builder
        draft={draft}
        onChange={kept.set}
        sources={sources}
        refusal={creation.error ? { draft: sent, error: creation.error } : undefined}
        isSaving={creation.isPending}
        operation="POST /api/v1/datasync/sync"
        input={input}
        // What is wrong is shown by the builder.
        onSave={() => void save(false).catch(() => undefined)}
        onSaveAndRun={() => void save(true).catch(() => undefined)}
        back="/syncs"
      />
      {unsaved.question}
    </>
  );
}
