import { Anchor, Stack, Tabs, Text } from '@mantine/core';
import { Link, useParams } from 'wouter';
import { useApi } from '../../api/queries.ts';
import type { Sync } from '../../api/resources.ts';
import { useSyncNames } from '../../api/use-sync-names.ts';
import { LISTS } from '../../lists.ts';
import { formatCount } from '../../parts/words/format.ts';
import { LoadedPage } from '../../parts/page/loaded-page.tsx';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { PageSkeleton } from '../../parts/page/page-skeleton.tsx';
import { RelativeTime } from '../../parts/words/relative-time.tsx';
import { useFilter } from '../../parts/filter/use-filter.ts';
import { DefinitionPanel } from './definition-panel.tsx';
import { LivePanel } from './live-panel.tsx';
import { isLive } from './live-words.ts';
import { ManagePanel } from './manage-panel.tsx';
import { PreviewPanel } from './preview-panel.tsx';
import { ProofPanel, VerifiedLine } from './proof-panel.tsx';
import { RejectsPanel } from './rejects-panel.tsx';
import { RunsPanel } from './runs-panel.tsx';
import { scheduleWords } from './schedule-words.ts';
import { useSources } from './source-names.ts';
import { SyncActions } from './sync-actions.tsx';
import { SyncState } from './sync-state.tsx';
import { TabList } from './tab-list.tsx';

/** One synchronization: its health, what it did, what it would do, and its rejected rows. */
export function SyncDetail() {
  const { id = '' } = useParams();
  const sync = useApi('GET /api/v1/datasync/sync/{id}', { params: { id } });
  // With the ids of its sources in place of their names, everything below would jump a moment later.
  const { isPending } = useSources();
  if (isPending && !sync.error) return <PageSkeleton />;
  return (
    <LoadedPage query={sync} list={LISTS.syncs}>
      {({ data }) => <Detail key={data.id} sync={data} />}
    </LoadedPage>
  );
}

function Detail({ sync }: { sync: Sync }) {
  const { nameOf } = useSources();
  const [tab, setTab] = useFilter('tab');
  const rejects = useApi('GET /api/v1/datasync/sync/{id}/rejects', { params: { id: sync.id }, query: { limit: 1 } });
  const open = rejects.data?.total ?? 0;
  return (
    <>
      <PageHeader
        title={sync.name}
        parent={LISTS.syncs}
        about={
          <>
            <End id={sync.source_id} name={nameOf(sync.source_id)} /> → <End id={sync.target_id} name={nameOf(sync.target_id)} />.{' '}
            {isLive(sync) ? (
              'Live'
            ) : sync.schedule.type === 'after' ? (
              <After id={sync.schedule.sync_id} />
            ) : (
              scheduleWords(sync.schedule, nameOf)
            )}
            {sync.next_run_at !== null && (
              <>
                {sync.schedule.type === 'manual' ? '; a run is due' : ', next'} <RelativeTime time={sync.next_run_at} />
              </>
            )}
            .
          </>
        }
        actions={<SyncActions sync={sync} onPreview={() => setTab('preview')} />}
      />
      <Stack gap="md">
        <SyncState sync={sync} onRejects={() => setTab('rejects')} />
        {isLive(sync) && <LivePanel sync={sync} />}
        {sync.verified && <VerifiedLine verified={sync.verified} />}
        <Tabs
          value={tab === '' ? 'runs' : tab}
          onChange={(value) => setTab(value === null || value === 'runs' ? '' : value)}
          keepMounted={false}
        >
          <TabList open={tab}>
            <Tabs.Tab value="runs">Runs</Tabs.Tab>
            <Tabs.Tab value="rejects">
              Rejected rows{' '}
              {open > 0 && (
                <Text span size="sm" c="dimmed" className="number">
                  {formatCount(open)}
                </Text>
              )}
            </Tabs.Tab>
            <Tabs.Tab value="preview">Preview</Tabs.Tab>
            <Tabs.Tab value="proof">Proof</Tabs.Tab>
            <Tabs.Tab value="definition">Definition</Tabs.Tab>
            <Tabs.Tab value="manage">Manage</Tabs.Tab>
          </TabList>
          <Tabs.Panel value="runs">
            <RunsPanel sync={sync} />
          </Tabs.Panel>
          <Tabs.Panel value="rejects">
            <RejectsPanel sync={sync} />
          </Tabs.Panel>
          <Tabs.Panel value="preview">
            <PreviewPanel sync={sync} />
          </Tabs.Panel>
          <Tabs.Panel value="proof">
            <ProofPanel sync={sync} />
          </Tabs.Panel>
          <Tabs.Panel value="definition">
            <DefinitionPanel sync={sync} />
          </Tabs.Panel>
          <Tabs.Panel value="manage">
            <ManagePanel sync={sync} onVerify={() => setTab('proof')} />
          </Tabs.Panel>
        </Tabs>
      </Stack>
    </>
  );
}

/** The one before it in a chain, with the way there. */
function After({ id }: { id: string }) {
  const { nameOf } = useSyncNames();
  return (
    <>
      After{' '}
      <Anchor component={Link} href={`/syncs/${id}`} size="sm">
        <OutsideText>{nameOf(id)}</OutsideText>
      </Anchor>
    </>
  );
}

function End({ id, name }: { id: string; name: string }) {
  return (
    <Anchor component={Link} href={`/sources/${id}`} size="sm">
      <OutsideText>{name}</OutsideText>
    </Anchor>
  );
}
