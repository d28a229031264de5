import { Anchor, Select, SimpleGrid, Text } from '@mantine/core';
import { useDeferredValue } from 'react';
import { Link } from 'wouter';
import { usePages } from '../../api/queries.ts';
import type { Incident } from '../../api/resources.ts';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { useFilter } from '../../parts/filter/use-filter.ts';
import { EmptyState } from '../../parts/page/empty-state.tsx';
import { Section } from '../../parts/page/section.tsx';
import { type Column, DataTable } from '../../parts/table/data-table.tsx';
import { formatDuration, formatMoment } from '../../parts/words/format.ts';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { RelativeTime } from '../../parts/words/relative-time.tsx';
import { placeOf, RULE_TYPES, RULES, ruleTitle } from './rules.ts';

const PAGE = 25;

const OPEN = { query: { status: 'open', limit: PAGE } } as const;

/** Whether nothing is drawn of open incidents so far: their rows come a moment after they are heard of. */
export function useAwaitedIncidents(): boolean {
  return useDeferredValue(usePages('GET /api/v1/incidents', OPEN).isPending);
}

/** What goes on at this moment. */
export function OpenIncidents() {
  const pages = usePages('GET /api/v1/incidents', OPEN);
  return (
    <Section title="Open incidents" flush actions={<CurlButton operation="GET /api/v1/incidents" input={OPEN} size={30} />}>
      <DataTable
        label="Open incidents"
        columns={OPEN_COLUMNS}
        rows={pages.rows}
        rowKey={({ id }) => id}
        error={pages.error}
        refetch={pages.refetch}
        paging={{ ...pages, size: PAGE }}
        empty={<EmptyState title="Nothing is wrong.">What the rules of your alerts find is listed here until it is over.</EmptyState>}
      />
    </Section>
  );
}

/** What was wrong and is over. */
export function History() {
  const [rule, setRule] = useFilter('rule');
  const query = { status: 'closed', limit: PAGE, rule: RULE_TYPES.find((type) => type === rule) } as const;
  const pages = usePages('GET /api/v1/incidents', { query });
  return (
    <Section title="History" about="Incidents that are over, newest first." flush>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} px="md" pb="sm" role="search" aria-label="History">
        <Select
          label="Rule"
          placeholder="All"
          data={RULE_TYPES.map((value) => ({ value, label: RULES[value].title }))}
          value={rule || null}
          onChange={(value) => setRule(value ?? '')}
          clearable
          clearButtonProps={{ 'aria-label': 'Every rule' }}
          comboboxProps={{ shadow: 'md' }}
        />
      </SimpleGrid>
      <DataTable
        label="Incidents that are over"
        columns={PAST_COLUMNS}
        rows={pages.rows}
        rowKey={({ id }) => id}
        error={pages.error}
        refetch={pages.refetch}
        paging={{ ...pages, size: PAGE }}
        empty={<EmptyState title={rule === '' ? 'Nothing was wrong yet.' : 'No incident matches.'} />}
      />
    </Section>
  );
}

const COLUMNS: readonly Column<Incident>[] = [
  { header: 'About', cell: (incident) => <About incident={incident} />, width: 200 },
  { header: 'Rule', cell: ({ rule }) => ruleTitle(rule), width: 150 },
  {
    header: 'What',
    cell: ({ summary, ending }) => (
      <>
        <Text span size="sm" lineClamp={3}>
          <OutsideText>{summary}</OutsideText>
        </Text>
        {ending !== null && (
          <Text size="xs" c="dimmed" lineClamp={2}>
            <OutsideText>{ending}</OutsideText>
          </Text>
        )}
      </>
    ),
    width: '45%',
  },
];

const OPEN_COLUMNS: readonly Column<Incident>[] = [
  ...COLUMNS,
  { header: 'Since', cell: ({ opened_at }) => <RelativeTime time={opened_at} />, width: 140 },
];

const PAST_COLUMNS: readonly Column<Incident>[] = [
  ...COLUMNS,
  { header: 'Began', cell: ({ opened_at }) => formatMoment(opened_at), width: 180 },
  {
    header: 'Lasted',
    cell: ({ opened_at, closed_at }) => (closed_at === null ? '–' : formatDuration(Date.parse(closed_at) - Date.parse(opened_at))),
    numeric: true,
    width: 120,
  },
];

/** What it is about, with the way to the page that helps. */
function About({ incident }: { incident: Incident }) {
  const href = placeOf(incident);
  const name = <OutsideText>{incident.object_name}</OutsideText>;
  if (href === undefined) return name;
  return (
    <Anchor component={Link} href={href} size="sm" fw={500} underline="hover">
      {name}
    </Anchor>
  );
}
