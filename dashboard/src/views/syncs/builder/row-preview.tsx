import { Skeleton, Stack, Table, Text } from '@mantine/core';
import { sentencesOf } from '../../../api/errors.ts';
import { CellValue } from '../../../parts/table/cell-value.tsx';
import { EmptyState } from '../../../parts/page/empty-state.tsx';
import { ErrorState } from '../../../parts/page/error-state.tsx';
import { OutsideText } from '../../../parts/words/outside-text.tsx';
import type { StreamDraft } from './draft.ts';
import { syncPlace } from './sync-place.ts';
import type { Trial } from './use-trial.ts';

/** Some rows of the source beside what would be written of them. */
export function RowPreview({ trial, stream }: { trial: Trial; stream: StreamDraft }) {
  return (
    <Stack gap="xs" aria-busy={trial.isFetching} role="group" aria-label="Preview of the rows">
      <Text size="sm" fw={500}>
        Preview of the rows
      </Text>
      <Content trial={trial} stream={stream} />
    </Stack>
  );
}

type Sample = NonNullable<NonNullable<Trial['data']>['data']['sample']>;

function Content({ trial: { data, error, refetch }, stream }: { trial: Trial; stream: StreamDraft }) {
  if (error && error.faults.length > 0 && error.status === 400) {
    return (
      <Stack gap={4}>
        {sentencesOf(error, (path) => syncPlace(path, [stream])).map((words) => (
          <Text size="sm" c="var(--mantine-color-error)" key={words}>
            <OutsideText>{words}</OutsideText>
          </Text>
        ))}
        <Text size="sm" c="dimmed">
          When the marked fields are corrected, rows are shown here.
        </Text>
      </Stack>
    );
  }
  if (error) return <ErrorState error={error} retry={refetch} title="No rows can be shown" />;
  const sample = data?.data.sample;
  if (!sample) return <Skeleton h={120} role="status" aria-label="Loading rows" />;
  if (sample.rows.length === 0) {
    return <EmptyState title="There is no row to show.">The source has none, or none of the first passes the conditions.</EmptyState>;
  }
  return <Rows sample={sample} />;
}

function Rows({ sample: { read, written, rows } }: { sample: Sample }) {
  return (
    <Table.ScrollContainer
      type="native"
      minWidth={(read.length + written.length) * 100}
      tabIndex={0}
      role="region"
      aria-label="Rows before and after"
    >
      <Table aria-label="Rows before and after" withColumnBorders striped>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="colgroup" colSpan={read.length}>
              As they are read
            </Table.Th>
            <Table.Th scope="colgroup" colSpan={written.length}>
              As they would be written
            </Table.Th>
          </Table.Tr>
          <Table.Tr>
            {read.map(({ name, type }) => (
              <FieldHead key={name} name={name} type={type} />
            ))}
            {written.map(({ name, type }) => (
              <FieldHead key={name} name={name} type={type} />
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ before, after, field, reason }, place) => (
            // oxlint-disable-next-line react/no-array-index-key -- rows of a sample have no name, and never change places
            <Table.Tr key={place}>
              {read.map(({ name }) => (
                <Table.Td key={name}>
                  <CellValue value={before[name]} />
                </Table.Td>
              ))}
              {after === null ? (
                <Table.Td colSpan={written.length} c="var(--mantine-color-error)">
                  Rejected: <OutsideText>{field === null ? (reason ?? '') : `${field} ${reason}`}</OutsideText>
                </Table.Td>
              ) : (
                written.map(({ name }) => (
                  <Table.Td key={name}>
                    <CellValue value={after[name]} />
                  </Table.Td>
                ))
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function FieldHead({ name, type }: { name: string; type: string }) {
  return (
    <Table.Th scope="col">
      <OutsideText>{name}</OutsideText>{' '}
      <Text span size="xs" c="dimmed" fw={400}>
        {type}
      </Text>
    </Table.Th>
  );
}
