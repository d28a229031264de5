import { Alert, Button, Stack, Table, Text } from '@mantine/core';
import { useMemo } from 'react';
import { Link } from 'wouter';
import { useApi } from '../../api/queries.ts';
import type { Source } from '../../api/resources.ts';
import { columnsOf, type RowValues } from '../../parts/table/grid/columns.ts';
import { DataGrid } from '../../parts/table/grid/data-grid.tsx';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { EmptyState } from '../../parts/page/empty-state.tsx';
import { Loaded } from '../../parts/page/loaded.tsx';
import { plural } from '../../parts/words/format.ts';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { Section } from '../../parts/page/section.tsx';
import { useMay } from '../../shell/me.tsx';
import { sampleInput, useSample } from './sample.ts';

interface StreamDetailProps {
  source: Source;
  name: string;
  onBack: () => void;
}

/** One table, file or resource: its fields, and some of its rows. */
export function StreamDetail({ source: { id }, name, onBack }: StreamDetailProps) {
  const may = useMay();
  const streams = useApi('GET /api/v1/datasync/sources/{id}/streams', { params: { id }, query: { q: name.slice(0, 200), limit: 1000 } });
  const stream = streams.data?.data.find((candidate) => candidate.name === name);
  return (
    <Section
      title={name}
      about="What is in it at this moment, and its fields."
      actions={
        <>
          <CurlButton operation="GET /api/v1/datasync/sources/{id}/streams/{name}/sample" input={sampleInput(id, name)} />
          <Button variant="default" onClick={onBack}>
            All streams
          </Button>
          {may('datasync:write') && (
            <Button component={Link} href={`/syncs/new?source=${id}&stream=${encodeURIComponent(name)}`} variant="default">
              Synchronize it
            </Button>
          )}
        </>
      }
    >
      <Loaded query={streams}>
        {() =>
          stream ? (
            <Stack gap="md">
              {stream.note !== null && (
                <Alert variant="outline" className="surface" title="Note">
                  <OutsideText>{stream.note}</OutsideText>
                </Alert>
              )}
              <SampleRows id={id} name={name} />
              <Fields fields={stream.fields} keys={stream.key} cursors={stream.cursors} />
            </Stack>
          ) : (
            <EmptyState title="It does not exist any more.">The system has nothing of this name at this moment.</EmptyState>
          )
        }
      </Loaded>
    </Section>
  );
}

interface FieldsProps {
  fields: readonly { name: string; type: string; nullable: boolean; native: string | null }[];
  keys: readonly string[];
  cursors: readonly string[];
}

function Fields({ fields, keys, cursors }: FieldsProps) {
  return (
    <Table.ScrollContainer type="native" minWidth={320} tabIndex={0} role="region" aria-label="Fields">
      <Table aria-label="Fields">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col" w="40%">
              Field
            </Table.Th>
            <Table.Th scope="col">Type</Table.Th>
            <Table.Th scope="col">Notes</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {fields.map(({ name, type, native, nullable }) => (
            <Table.Tr key={name}>
              <Table.Td>
                <OutsideText>{name}</OutsideText>
              </Table.Td>
              <Table.Td>
                {type}
                {native !== null && native !== type && (
                  <Text span size="xs" c="dimmed">
                    {' '}
                    <OutsideText>{native}</OutsideText>
                  </Text>
                )}
              </Table.Td>
              <Table.Td>
                {[keys.includes(name) ? 'key' : '', cursors.includes(name) ? 'cursor' : '', nullable ? '' : 'not null']
                  .filter((word) => word !== '')
                  .join(', ')}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function SampleRows({ id, name }: { id: string; name: string }) {
  const sample = useSample(id, name);
  return (
    <Loaded query={sample}>
      {({ fields, rows, rejects, truncated }) =>
        rows.length === 0 ? (
          <EmptyState title="It has no rows.">{rejects[0]}</EmptyState>
        ) : (
          <Stack gap="xs">
            <SampleGrid fields={fields} rows={rows} />
            {rejects.length > 0 && (
              <Text size="sm" c="dimmed">
                Some rows could not be read: <OutsideText>{rejects[0] ?? ''}</OutsideText>
              </Text>
            )}
            {truncated.length > 0 && (
              <Text size="sm" c="dimmed">
                Cut, as they are very long: <OutsideText>{truncated.join(', ')}</OutsideText>
              </Text>
            )}
          </Stack>
        )
      }
    </Loaded>
  );
}

function SampleGrid({ fields, rows }: { fields: readonly { name: string; type: string }[]; rows: readonly RowValues[] }) {
  const columns = useMemo(() => {
    const types = new Map(fields.map(({ name, type }) => [name, type]));
    const names = fields.map(({ name }) => name);
    return columnsOf<RowValues>(names, (row) => row).map((column) => ({ ...column, type: types.get(column.name) }));
  }, [fields]);
  return <DataGrid label="Sample rows" columns={columns} rows={rows} about={`The first ${plural(rows.length, 'row')}`} />;
}
