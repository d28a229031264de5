import { useRef, useState } from 'react';
import { useSearchParams } from 'wouter';
import { call } from '../../../api/client.ts';
import { sentenceOf } from '../../../api/errors.ts';
import { useAction, useApi } from '../../../api/queries.ts';
import { LISTS } from '../../../lists.ts';
import { notifyDone, notifyDoubtful, notifyFailed } from '../../../parts/action/notify.ts';
import { DraftOffer } from '../../../parts/form/draft-offer.tsx';
import { useDraft } from '../../../parts/form/kept-draft.ts';
import { RestoredNote } from '../../../parts/form/restored-note.tsx';
import { OFFERED_WORDS, useUnsaved } from '../../../parts/form/unsaved.tsx';
import { Loaded } from '../../../parts/page/loaded.tsx';
import { LoadedPage } from '../../../parts/page/loaded-page.tsx';
import { PageHeader } from '../../../parts/page/page-header.tsx';
import { visible } from '../../../parts/words/outside-text.tsx';
import { useMe } from '../../../shell/me.tsx';
import { useSources } from '../source-names.ts';
import { Builder } from './builder.tsx';
import { type SyncDraft, copyOf, draftWords, EMPTY, newStream, syncInput } from './draft.ts';
import { useGoOn } from '../../../parts/page/use-go-on.ts';

/** Builds a synchronization from nothing, from a stream that the user was looking at, or like another one. */
export function NewSync() {
  const [params] = useSearchParams();
  const stream = params.get('stream');
  const like = params.get('like');
  if (like) return <Duplicate id={like} />;
  return <Creator initial={{ ...EMPTY, sourceId: params.get('source') ?? '', streams: stream === null ? [] : [newStream(stream)] }} />;
}

function Duplicate({ id }: { id: string }) {
  const sync = useApi('GET /api/v1/datasync/sync/{id}', { params: { id } });
  const others = useApi('GET /api/v1/datasync/sync', { query: { status: 'all', limit: 1000 } });
  return (
    <Loaded query={others}>
      {({ data: all }) => (
        <LoadedPage query={sync} list={LISTS.syncs} isForm>
          {({ data }) => (
            <Creator initial={copyOf(data, all)} about={`It begins as a copy of "${visible(data.name)}", which stays as it is.`} />
          )}
        </LoadedPage>
      )}
    </Loaded>
  );
}

const ABOUT = 'A source, a target and a stream are enough. Everything else is chosen automatically, and can be changed.';

function Creator({ initial, about = ABOUT }: { initial: SyncDraft; about?: string }) {
  const goOn = useGoOn();
  const { sources } = useSources();
  const kept = useDraft<SyncDraft>({ initial, user: useMe().id });
  const unsaved = useUnsaved(kept.isDirty, OFFERED_WORDS);
  const draft = kept.value;
  const [sent, setSent] = useState(draft);
  const creation = useAction('POST /api/v1/datasync/sync', { quiet: true });
  const find = (id: string) => sources?.find((source) => source.id === id);
  const input = { body: syncInput(draft, find(draft.sourceId), find(draft.targetId)) };

  // The second of two quick clicks would make another one.
  const isUnderWay = useRef(false);
  const save = async (runs: boolean): Promise<void> => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    setSent(draft);
    const { data } = await creation.mutateAsync(input).finally(() => {
      isUnderWay.current = false;
    });
    kept.forget();
    unsaved.release();
    notifyDone(`Saved "${visible(data.name)}".`);
    for (const warning of data.warnings) notifyDoubtful(visible(warning));
    if (runs && !draft.live)
      await call('POST /api/v1/datasync/sync/{id}/runs', { params: { id: data.id } }).catch((error) => notifyFailed(sentenceOf(error)));
    goOn(`/syncs/${data.id}`);
  };
  return (
    <>
      <PageHeader title="New synchronization" parent={LISTS.syncs} about={about} />
      <RestoredNote draft={kept} />
      {kept.offer ? (
        <DraftOffer offer={kept.offer}>{draftWords(kept.offer.value, sources)}</DraftOffer>
      ) : (
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
      )}
      {unsaved.question}
    </>
  );
}
