import { Anchor, Button, Group, List, Stack, Text } from '@mantine/core';
import { Suspense, useState } from 'react';
import { Link, useParams } from 'wouter';
import { useAction, useApi } from '../../api/queries.ts';
import type { CheckResult, Source } from '../../api/resources.ts';
import { LISTS } from '../../lists.ts';
import { ActionButton } from '../../parts/action/action-button.tsx';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { Facts } from '../../parts/page/facts.tsx';
import { lazyPart } from '../../parts/lazy-part.ts';
import { LoadedPage } from '../../parts/page/loaded-page.tsx';
import { OutsideText, visible } from '../../parts/words/outside-text.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { RelativeTime } from '../../parts/words/relative-time.tsx';
import { ScopedButton } from '../../parts/action/scoped-button.tsx';
import { Section } from '../../parts/page/section.tsx';
import { HealthBadge, StatusBadge } from '../../parts/status/status.tsx';
import { useMay } from '../../shell/me.tsx';
import { CheckOutcome } from './check-outcome.tsx';
import { useConnectors } from './connectors.ts';
import type { ConfigSchema } from './config-form/schema.ts';
import { StreamBrowser } from './stream-browser.tsx';
import { useGoOn } from '../../parts/page/use-go-on.ts';

const Yaml = lazyPart(async () => (await import('./source-yaml.tsx')).SourceYaml);

/** One system: whether it works, how it is set up, who uses it, and what is in it. */
export function SourceDetail() {
  const { id = '' } = useParams();
  const source = useApi('GET /api/v1/datasync/sources/{id}', { params: { id } });
  return (
    <LoadedPage query={source} list={LISTS.sources}>
      {({ data }) => <Detail key={data.id} source={data} />}
    </LoadedPage>
  );
}

function Detail({ source }: { source: Source }) {
  const { id, name, type } = source;
  const goOn = useGoOn();
  const may = useMay();
  const { titleOf } = useConnectors();
  const [found, setFound] = useState<CheckResult>();
  const check = useAction('POST /api/v1/datasync/sources/{id}/check', { onDone: ({ data }) => setFound(data) });
  const input = { params: { id } };
  return (
    <>
      <PageHeader
        title={name}
        about={titleOf(type)}
        parent={LISTS.sources}
        actions={
          <>
            <Group gap={4} wrap="nowrap">
              <ScopedButton scope="datasync:write" loading={check.isPending} onClick={() => check.mutate(input)}>
                Test the connection
              </ScopedButton>
              <CurlButton operation="POST /api/v1/datasync/sources/{id}/check" input={input} />
            </Group>
            {may('datasync:write') && (
              <Button component={Link} href={`/sources/${id}/edit`} variant="default">
                Edit
              </Button>
            )}
            <ActionButton
              operation="DELETE /api/v1/datasync/sources/{id}"
              input={input}
              scope="datasync:write"
              done={`Deleted "${visible(name)}".`}
              onDone={() => goOn('/sources', { replace: true })}
              look={{ color: 'red' }}
              confirm={{
                title: 'Delete this source?',
                about: 'Syncline forgets how to reach it. The system itself is not touched. It is refused while a synchronization uses it.',
              }}
            >
              Delete
            </ActionButton>
          </>
        }
      />
      <Stack gap="md">
        {found ? <CheckOutcome result={found} /> : <StoredStatus source={source} />}
        <Setup source={source} />
        <UsedBy id={id} />
        <StreamBrowser source={source} />
        <Suspense>
          <Yaml id={id} />
        </Suspense>
      </Stack>
    </>
  );
}

function StoredStatus({ source: { status, status_message, checked_at } }: { source: Source }) {
  return (
    <Section title="Status">
      <Stack gap={4}>
        <Group gap="sm">
          <StatusBadge status={status} />
          {checked_at !== null && (
            <Text size="sm" c="dimmed">
              checked <RelativeTime time={checked_at} />
            </Text>
          )}
        </Group>
        <Text size="sm">
          {status_message === null ? (
            'It was not tested since it was last changed. Test the connection to see whether it works.'
          ) : (
            <OutsideText>{status_message}</OutsideText>
          )}
        </Text>
        {status === 'failing' && (
          <Text size="sm" c="dimmed">
            Correct its settings or the system itself, and test again.
          </Text>
        )}
      </Stack>
    </Section>
  );
}

function Setup({ source: { type, config } }: { source: Source }) {
  const { byType } = useConnectors();
  const { properties = {} } = (byType.get(type)?.config ?? {}) as ConfigSchema;
  const members = Object.entries(config as Record<string, unknown>);
  if (members.length === 0) return null;
  return (
    <Section title="Configuration" about="What is not listed has its default. Secrets are never shown.">
      <Facts
        facts={members.map(([member, value]) => [
          properties[member]?.title ?? member,
          <OutsideText key={member}>{typeof value === 'string' ? value : JSON.stringify(value)}</OutsideText>,
        ])}
      />
    </Section>
  );
}

function UsedBy({ id }: { id: string }) {
  const syncs = useApi('GET /api/v1/datasync/sync', { query: { status: 'all', limit: 1000 } });
  const users = syncs.data?.data.filter(({ source_id, target_id }) => source_id === id || target_id === id);
  if (users === undefined || users.length === 0) return null;
  return (
    <Section title="Used by">
      <List size="sm" listStyleType="none">
        {users.map((sync) => (
          <List.Item key={sync.id}>
            <Group gap="sm">
              <Anchor component={Link} href={`/syncs/${sync.id}`} size="sm">
                <OutsideText>{sync.name}</OutsideText>
              </Anchor>
              <Text size="sm" c="dimmed">
                {sync.source_id === id ? 'reads it' : 'writes to it'}
              </Text>
              <HealthBadge health={sync.health} />
            </Group>
          </List.Item>
        ))}
      </List>
    </Section>
  );
}
