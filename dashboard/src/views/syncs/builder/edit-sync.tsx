import { useState } from 'react';
import { useParams } from 'wouter';
import { useAction, useApi } from '../../../api/queries.ts';
import type { Source, Sync } from '../../../api/resources.ts';
import { LISTS } from '../../../lists.ts';
import { notifyDoubtful } from '../../../parts/action/notify.ts';
import { changedMembers } from '../../../parts/form/changed-members.ts';
import { useDraft } from '../../../parts/form/kept-draft.ts';
import { LoadedPage } from '../../../parts/page/loaded-page.tsx';
import { OutsideText, visible } from '../../../parts/words/outside-text.tsx';
import { PageHeader } from '../../../parts/page/page-header.tsx';
import { DraftOffer } from '../../../parts/form/draft-offer.tsx';
import { RestoredNote } from '../../../parts/form/restored-note.tsx';
import { OFFERED_WORDS, useUnsaved } from '../../../parts/form/unsaved.tsx';
import { useMe } from '../../../shell/me.tsx';
import { useSources } from '../source-names.ts';
import { Builder } from './builder.tsx';
import { draftOf, draftWords, streamInput, syncInput } from './draft.ts';
import { useGoOn } from '../../../parts/page/use-go-on.ts';
import { Note } from '../../../parts/status/note.tsx';

/** Changes a synchronization. */
export function EditSync() {
  const { id = '' } = useParams();
  const sync = useApi('GET /api/v1/datasync/sync/{id}', { params: { id } });
  const { sources } = useSources();
  return (
    <LoadedPage query={sync} list={LISTS.syncs} isForm>
      {({ data }) => <Editor key={data.id} sync={data} sources={sources} />}
    </LoadedPage>
  );
}

function Editor({ sync, sources }: { sync: Sync; sources: readonly Source[] | undefined }) {
  const goOn = useGoOn();
  const stored = draftOf(sync);
  const kept = useDraft({ initial: stored, user: useMe().id });
  const unsaved = useUnsaved(kept.isDirty, OFFERED_WORDS);
  const draft = kept.value;
  const [sent, setSent] = useState(draft);
  const change = useAction('PUT /api/v1/datasync/sync/{id}', {
    quiet: true,
    done: draft.live ? 'Saved. It goes on with it within seconds.' : 'Saved. The next run uses it.',
    onDone: ({ data }) => {
      for (const warning of data.warnings) notifyDoubtful(visible(warning));
      kept.forget();
      unsaved.release();
      goOn(`/syncs/${sync.id}`);
    },
  });
  // Tables and fields may be gone since it was saved.
  const look = useApi('POST /api/v1/datasync/sync/check', {
    body: {
      sync_id: sync.id,
      source_id: stored.sourceId,
      target_id: stored.targetId,
      streams: stored.streams.map((stream) => streamInput(stream, stored.live)),
      schema_changes: stored.schemaChanges,
    },
  });
  const find = (id: string) => sources?.find((source) => source.id === id);
  const after = syncInput(draft, find(draft.sourceId), find(draft.targetId));
  const before = syncInput(kept.base, find(kept.base.sourceId), find(kept.base.targetId));
  const input = { params: { id: sync.id }, body: changedMembers(before, after) };
  return (
    <>
      <PageHeader
        title={`Edit ${sync.name}`}
        parent={{ label: visible(sync.name), href: `/syncs/${sync.id}` }}
        about={`${draft.live ? 'What is live goes on with the new definition within seconds.' : 'A run in progress keeps the definition that it started with.'} A stream that gets another mode, key, cursor or filter is read again from the start.`}
      />
      {kept.offer && <DraftOffer offer={kept.offer}>{draftWords(kept.offer.value, sources)}</DraftOffer>}
      <RestoredNote draft={kept} />
      {look.error?.status === 409 && (
        <Note tone="warning" title="One of the systems cannot be asked at this moment" mb="md">
          <OutsideText>{look.error.message}</OutsideText> What is stored is shown. Its name, its schedule and what you remove can be saved
          all the same.
        </Note>
      )}
      {!kept.offer && (
        <Builder
          draft={draft}
          onChange={kept.set}
          sources={sources}
          self={sync.id}
          refusal={change.error ? { draft: sent, error: change.error } : undefined}
          known={look.error ? { draft: stored, error: look.error } : undefined}
          isSaving={change.isPending}
          operation="PUT /api/v1/datasync/sync/{id}"
          input={input}
          onSave={() => {
            setSent(draft);
            change.mutate(input);
          }}
          back={`/syncs/${sync.id}`}
        />
      )}
      {unsaved.question}
    </>
  );
}
