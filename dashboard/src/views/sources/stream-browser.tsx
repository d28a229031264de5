import { Box, Text } from '@mantine/core';
import { usePages } from '../../api/queries.ts';
import type { Source, SourceStream } from '../../api/resources.ts';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { type Column, DataTable } from '../../parts/table/data-table.tsx';
import { EmptyState } from '../../parts/page/empty-state.tsx';
import { FilterText } from '../../parts/filter/filter-text.tsx';
import { formatCompact, formatCount } from '../../parts/words/format.ts';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { Section } from '../../parts/page/section.tsx';
import { useFilter } from '../../parts/filter/use-filter.ts';
import { StreamDetail } from './stream-detail.tsx';

const SIZE = 25;

const COLUMNS: readonly Column<SourceStream>[] = [
  { header: 'Name', cell: ({ name }) => <OutsideText>{name}</OutsideText> },
  { header: 'Kind', cell: ({ kind }) => kind, width: 90 },
  { header: 'Fields', cell: ({ fields }) => formatCount(fields.length), numeric: true, width: 80 },
  { header: 'Key', cell: ({ key }) => <Names names={key} /> },
  { header: 'Cursors', cell: ({ cursors }) => <Names names={cursors} /> },
  {
    header: 'Rows',
    cell: ({ estimated_rows }) => (estimated_rows === null ? '–' : `about ${formatCompact(estimated_rows)}`),
    numeric: true,
    width: 120,
  },
];

/** What is in a system: its tables, files or resources, and one of them with its fields and some rows. */
export function StreamBrowser({ source }: { source: Source }) {
  const [chosen, choose] = useFilter('stream');
  return chosen === '' ? <StreamTable source={source} /> : <StreamDetail source={source} name={chosen} onBack={() => choose('')} />;
}

function StreamTable({ source: { id } }: { source: Source }) {
  const [q] = useFilter('q');
  const input = { params: { id }, query: { limit: SIZE, ...(q !== '' && { q }) } };
  const pages = usePages('GET /api/v1/datasync/sources/{id}/streams', input);
  return (
    <Section
      title="Streams"
      about="Tables, files or resources, as they are at this moment."
      actions={<CurlButton operation="GET /api/v1/datasync/sources/{id}/streams" input={input} />}
      flush
    >
      <Box px="md" pb="xs" maw={420}>
        <FilterText label="Name" name="q" placeholder="Part of a name" maxLength={200} />
      </Box>
      <DataTable
        label="Streams"
        columns={COLUMNS}
        rows={pages.rows}
        rowKey={({ name }) => name}
        href={({ name }) => `/sources/${id}?stream=${encodeURIComponent(name)}`}
        error={pages.error}
        refetch={pages.refetch}
        paging={{ ...pages, size: SIZE }}
        empty={
          <EmptyState title={q === '' ? 'There is nothing in it yet.' : 'Nothing has such a name.'}>
            {q === ''
              ? 'The system answers, but shows no table, file or resource that may be read. As a target that is fine: what is missing is made.'
              : 'Look for a shorter part of the name.'}
          </EmptyState>
        }
      />
    </Section>
  );
}

function Names({ names }: { names: readonly string[] }) {
  return names.length === 0 ? (
    <Text span inherit c="dimmed">
      –
    </Text>
  ) : (
    <OutsideText>{names.slice(0, 4).join(', ') + (names.length > 4 ? ' …' : '')}</OutsideText>
  );
}
