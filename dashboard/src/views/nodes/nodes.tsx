import { Anchor, Button, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { useApi } from '../../api/queries.ts';
import type { Node } from '../../api/resources.ts';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { type Column, DataTable } from '../../parts/table/data-table.tsx';
import { EmptyState } from '../../parts/page/empty-state.tsx';
import { plural } from '../../parts/words/format.ts';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { RelativeTime } from '../../parts/words/relative-time.tsx';
import { Section } from '../../parts/page/section.tsx';
import { StatusBadge } from '../../parts/status/status.tsx';

const QUERY = { limit: 1000 };

const ROLES: Record<string, string> = {
  all: 'requests and synchronizations',
  api: 'answers requests',
  worker: 'runs synchronizations',
};

const COLUMNS: readonly Column<Node>[] = [
  {
    header: 'Node',
    cell: ({ host, pid }) => (
      <>
        <OutsideText>{host}</OutsideText>
        <Text size="xs" c="dimmed">
          process {pid}
        </Text>
      </>
    ),
    width: 150,
  },
  { header: 'Status', cell: ({ status }) => <StatusBadge status={status} />, width: 100 },
  { header: 'Role', cell: ({ role }) => ROLES[role] ?? role, width: 150 },
  { header: 'Running', cell: (node) => <RunsOf node={node} />, width: 140 },
  { header: 'Version', cell: ({ version }) => version, width: 80 },
  { header: 'Started', cell: ({ started_at }) => <RelativeTime time={started_at} />, width: 120 },
  { header: 'Last seen', cell: ({ seen_at }) => <RelativeTime time={seen_at} />, width: 130 },
  { header: 'Problems', cell: ({ problems }) => <Problems problems={problems} /> },
];

/** The processes that share the work. */
export function Nodes() {
  const { data, error, refetch, isFetching } = useApi('GET /api/v1/nodes', { query: QUERY });
  return (
    <>
      <PageHeader
        title="Nodes"
        about="The processes of Syncline that share this database: what each does, and its problems."
        actions={
          <>
            <Button variant="default" loading={isFetching} onClick={() => void refetch()}>
              Refresh
            </Button>
            <CurlButton operation="GET /api/v1/nodes" input={{ query: QUERY }} />
          </>
        }
      />
      <Section title={data ? plural(data.total, 'node') : 'Nodes'} flush>
        <DataTable
          label="Nodes"
          columns={COLUMNS}
          rows={data?.data}
          rowKey={({ id }) => id}
          error={error}
          refetch={refetch}
          empty={<EmptyState title="No node has been seen.">The one that answers here will be listed in a few seconds.</EmptyState>}
        />
      </Section>
    </>
  );
}

function RunsOf({ node: { runs, max_runs, role } }: { node: Node }) {
  if (role === 'api') return 'none: not its part';
  return (
    <Stack gap={2}>
      <span>
        {runs.length} of {max_runs}
      </span>
      {runs.map(({ id, started_at }) => (
        <Text key={id} size="xs">
          <Anchor component={Link} href={`/runs/${id}`} size="xs">
            a run
          </Anchor>{' '}
          started <RelativeTime time={started_at} />
        </Text>
      ))}
    </Stack>
  );
}

function Problems({ problems }: { problems: readonly string[] }) {
  if (problems.length === 0) return 'none';
  return (
    <Stack gap={2}>
      {problems.map((problem) => (
        <Text key={problem} size="sm">
          <OutsideText>{problem}</OutsideText>
        </Text>
      ))}
    </Stack>
  );
}
