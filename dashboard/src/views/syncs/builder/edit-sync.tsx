import { useState } from 'react';
import { useLocation, useParams } from 'wouter';
import { useAction, useApi } from '../../../api/queries.ts';
import type { Source, Sync } from '../../../api/resources.ts';
import { Loaded } from '../../../parts/loaded.tsx';
import { visible } from '../../../parts/outside-text.tsx';
import { PageHeader } from '../../../parts/page-header.tsx';
import { useSources } from '../source-names.ts';
import { Builder } from './builder.tsx';
import { changesOf, draftOf, syncInput } from './draft.ts';

/** Changes a synchronization. */
export function EditSync() {
  const { id = '' } = useParams();
  const sync = useApi('GET /api/v1/datasync/sync/{id}', { params: { id } });
  const { sources } = useSources();
  return <Loaded query={sync}>{({ data }) => <Editor key={data.id} sync={data} sources={sources} />}</Loaded>;
}

function Editor({ sync, sources }: { sync: Sync; sources: readonly Source[] | undefined }) {
  const [, navigate] = useLocation();
  const [draft, setDraft] = useState(() => draftOf(sync));
  const change = useAction('PUT /api/v1/datasync/sync/{id}', {
    quiet: true,
    done: 'Saved. The next run goes by it.',
    onDone: () => navigate(`/syncs/${sync.id}`),
  });
  const find = (id: string) => sources?.find((source) => source.id === id);
  const after = syncInput(draft, find(draft.sourceId), find(draft.targetId));
  const before = syncInput(draftOf(sync), find(sync.source_id), find(sync.target_id));
  const input = { params: { id: sync.id }, body: changesOf(before, after) };
  return (
    <>
      <PageHeader
        title={`Change ${sync.name}`}
        parent={{ label: visible(sync.name), href: `/syncs/${sync.id}` }}
        about="A run under way keeps the definition that it began with. A stream that gets another mode, key, cursor or filter is read anew."
      />
      <Builder
        draft={draft}
        onChange={setDraft}
        sources={sources}
        error={change.error}
        isSaving={change.isPending}
        operation="PUT /api/v1/datasync/sync/{id}"
        input={input}
        onSave={() => change.mutate(input)}
        back={`/syncs/${sync.id}`}
      />
    </>
  );
}
