import { Badge, Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useApi } from '../../api/queries.ts';
import type { Sync } from '../../api/resources.ts';
import type { Data } from '../../api/client.ts';
import { ActionButton } from '../../parts/action/action-button.tsx';
import { EmptyState } from '../../parts/page/empty-state.tsx';
import { ErrorState } from '../../parts/page/error-state.tsx';
import { Section } from '../../parts/page/section.tsx';
import { type Column, DataTable } from '../../parts/table/data-table.tsx';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { RelativeTime } from '../../parts/words/relative-time.tsx';
import { Difference } from '../../parts/yaml/difference.tsx';
import { useMay, useMe } from '../../shell/me.tsx';

type Version = Data<'GET /api/v1/datasync/sync/{id}/versions'>[number];

interface ShownVersion extends Version {
  /** Who saved it, where that is known. */
  by: string | undefined;
  isOpen: boolean;
  toggle: () => void;
}

const COLUMNS: readonly Column<ShownVersion>[] = [
  {
    header: 'Version',
    cell: ({ version, current }) => (
      <Group gap={6} wrap="nowrap">
        {/* The space counts on a phone, where this is a line of text. */}
        <span className="number">{version}</span>{' '}
        {current && (
          <Badge variant="outline" color="gray">
            Now
          </Badge>
        )}
      </Group>
    ),
  },
  { header: 'Saved', cell: ({ saved_at }) => <RelativeTime time={saved_at} /> },
  { header: 'By', cell: ({ by }) => (by === undefined ? '–' : <OutsideText>{by}</OutsideText>) },
  { header: 'Changed', cell: changeWords },
  {
    header: 'Difference',
    cell: ({ version, isOpen, toggle }) => (
      <Button
        variant="default"
        size="compact-xs"
        aria-expanded={isOpen}
        aria-label={`${isOpen ? 'Hide' : 'Show'} version ${version}`}
        onClick={toggle}
      >
        {isOpen ? 'Hide' : 'Show'}
      </Button>
    ),
  },
];

/** As many as are shown at first: the rest is history. */
const FEW = 5;

/** What it was told before: who changed what and when, the difference, and the way back. */
export function VersionsSection({ sync }: { sync: Sync }) {
  const input = { params: { id: sync.id } };
  const { data, error, refetch } = useApi('GET /api/v1/datasync/sync/{id}/versions', input);
  const [chosen, setChosen] = useState<number>();
  const [all, setAll] = useState(false);
  const nameOf = useActorNames();
  const versions = data?.data;
  const open = versions?.find(({ version }) => version === chosen);
  const rows = (all ? versions : versions?.slice(0, FEW))?.map(
    (one): ShownVersion => ({
      ...one,
      by: one.actor === null ? undefined : nameOf(one.actor),
      isOpen: one.version === chosen,
      toggle: () => setChosen(one.version === chosen ? undefined : one.version),
    }),
  );
  return (
    <Section title="Versions" about="Every change of the definition keeps the one before: the newest 100." flush>
      <DataTable
        label="Versions"
        columns={COLUMNS}
        rows={rows}
        rowKey={({ version }) => String(version)}
        error={error}
        refetch={refetch}
        empty={<EmptyState title="There are no versions." />}
      />
      {versions && versions.length > FEW && !all && (
        <Button variant="subtle" size="xs" m="xs" onClick={() => setAll(true)}>
          Show all {versions.length}
        </Button>
      )}
      {versions && open && (
        <Opened key={open.version} sync={sync} version={open} versions={versions} onRestored={() => setChosen(undefined)} />
      )}
    </Section>
  );
}

interface OpenedProps {
  sync: Sync;
  version: Version;
  versions: readonly Version[];
  onRestored: () => void;
}

function Opened({ sync, version, versions, onRestored }: OpenedProps) {
  const older = versions.find((one) => one.version < version.version);
  const now = versions[0] as Version;
  const [against, setAgainst] = useState<'before' | 'now'>(older === undefined ? 'now' : 'before');
  const other = against === 'now' ? now : older;
  const own = useYaml(sync.id, version.version);
  const others = useYaml(sync.id, other?.version);
  const error = own.error ?? others.error;
  // What was is at the left, whichever of the two is looked at.
  const [before, after] = against === 'now' ? [own.data, others.data] : [others.data, own.data];
  return (
    <Stack gap="xs" p="md">
      <Group justify="space-between" gap="xs">
        <SegmentedControl
          size="xs"
          aria-label={`Hold version ${version.version} against`}
          value={against}
          onChange={(value) => setAgainst(value)}
          data={[
            { value: 'before', label: 'What it changed', disabled: older === undefined },
            { value: 'now', label: 'What has changed since', disabled: version.current },
          ]}
        />
        {!version.current && (
          <ActionButton
            operation="POST /api/v1/datasync/sync/{id}/versions/{version}/restore"
            input={{ params: { id: sync.id, version: String(version.version) } }}
            scope="datasync:write"
            done={`The definition is that of version ${version.version} again.`}
            onDone={onRestored}
            confirm={{
              title: `Restore version ${version.version}?`,
              about:
                'The definition becomes what it was then, its name too. Streams that are read in another way begin anew. Rows that runs have written stay as they are.',
            }}
          >
            {`Restore version ${version.version}`}
          </ActionButton>
        )}
      </Group>
      {error && <ErrorState error={error} />}
      {other === undefined || (version.current && older === undefined) ? (
        <Text size="sm" c="dimmed">
          It is the only version.
        </Text>
      ) : (
        before !== undefined &&
        after !== undefined && <Difference label={`Difference of version ${version.version}`} before={before} after={after} />
      )}
    </Stack>
  );
}

function useYaml(id: string, version: number | undefined): { data: string | undefined; error: Error | null } {
  const { data, error, isPlaceholderData } = useApi(
    'GET /api/v1/datasync/config/syncs/{id}',
    { params: { id }, query: { version } },
    { enabled: version !== undefined },
  );
  return { data: isPlaceholderData ? undefined : data?.data.yaml, error };
}

/** Keys by their names, where they may be read; else by what they are called in the audit. */
function useActorNames(): (actor: string) => string {
  const me = useMe();
  const may = useMay();
  const { data } = useApi('GET /api/v1/keys', { query: { limit: 1000 } }, { enabled: may('admin') });
  return (actor) => (actor === me.id ? `${me.name} (you)` : (data?.data.find(({ id }) => id === actor)?.name ?? actor));
}

function changeWords({ version, fields, restored }: Version): string {
  if (restored !== null) return `Restored version ${restored}`;
  if (fields.length === 0) return version === 1 ? 'Created' : '–';
  return fields.map((field) => field.replace(/_id$/, '').replaceAll('_', ' ')).join(', ');
}
