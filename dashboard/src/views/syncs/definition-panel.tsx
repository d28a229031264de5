import { Stack, Text } from '@mantine/core';
import type { Sync } from '../../api/resources.ts';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { type Column, DataTable } from '../../parts/table/data-table.tsx';
import { EmptyState } from '../../parts/page/empty-state.tsx';
import { Facts } from '../../parts/page/facts.tsx';
import { formatMoment, plural } from '../../parts/words/format.ts';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { Section } from '../../parts/page/section.tsx';
import { scheduleWords } from './schedule-words.ts';
import { DELETE_WORDS, MODE_WORDS, REJECT_WORDS, SCHEMA_WORDS } from './words.ts';

type Stream = Sync['streams'][number];

const COLUMNS: readonly Column<Stream>[] = [
  { header: 'Source', cell: ({ source }) => <OutsideText>{source}</OutsideText> },
  { header: 'Target', cell: ({ target }) => <OutsideText>{target}</OutsideText> },
  { header: 'Mode', cell: ({ mode }) => MODE_WORDS[mode] },
  { header: 'Key', cell: ({ key }) => <Text inherit>{key.length === 0 ? '–' : <OutsideText>{key.join(', ')}</OutsideText>}</Text> },
  { header: 'Cursor', cell: ({ cursor }) => (cursor === null ? '–' : <OutsideText>{cursor}</OutsideText>) },
  { header: 'Fields', cell: ({ fields }) => (fields === null ? 'all' : plural(fields.length, 'field')) },
  {
    header: 'Filter',
    cell: ({ filter }) => (filter.length === 0 ? '–' : <OutsideText>{filter.map(filterWords).join(' and ')}</OutsideText>),
  },
  { header: 'Deleted rows', cell: ({ deletes }) => DELETE_WORDS[deletes] },
];

/** What it is told to do, complete. */
export function DefinitionPanel({ sync }: { sync: Sync }) {
  return (
    <Stack gap="md">
      <Section
        title="Streams"
        actions={<CurlButton operation="GET /api/v1/datasync/sync/{id}" input={{ params: { id: sync.id } }} />}
        flush
      >
        <DataTable
          label="Streams"
          columns={COLUMNS}
          rows={sync.streams}
          rowKey={({ source, target }) => `${source} ${target}`}
          empty={<EmptyState title="It has no streams." />}
        />
      </Section>
      <Section title="Settings">
        <Facts
          facts={[
            ['Schedule', scheduleWords(sync.schedule)],
            ['Rejected rows', REJECT_WORDS[sync.on_reject]],
            ['Schema changes', SCHEMA_WORDS[sync.schema_changes]],
            [
              'Guard',
              `A run that would delete more than ${sync.guard.max_delete_percent}% of the target${
                sync.guard.allow_empty ? '' : ', or finds no rows where there were some,'
              } needs approval.`,
            ],
            ['Id', sync.id],
            ['Created', formatMoment(sync.created_at)],
            ['Updated', formatMoment(sync.updated_at)],
          ]}
        />
      </Section>
    </Stack>
  );
}

function filterWords({ field, op, value }: Stream['filter'][number]): string {
  if (op === 'is_null') return `${field} is null`;
  if (op === 'not_null') return `${field} is not null`;
  return `${field} ${op} ${Array.isArray(value) ? value.join(', ') : (value ?? '')}`;
}
