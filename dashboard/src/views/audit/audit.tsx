import { Anchor, Button, SimpleGrid, Text } from '@mantine/core';
import { Link, useSearchParams } from 'wouter';
import { useApi, usePages } from '../../api/queries.ts';
import type { AuditEntry } from '../../api/resources.ts';
import { CurlButton } from '../../parts/curl-button.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { FilterText } from '../../parts/filter-text.tsx';
import { formatMoment } from '../../parts/format.ts';
import { OutsideText } from '../../parts/outside-text.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { Section } from '../../parts/section.tsx';
import { actionWords, detailWords, hrefOf } from './audit-words.ts';

const PAGE = 50;
const MOST_KEYS = 1000;

/** Who changed what, and when. */
export function Audit() {
  const [params, setParams] = useSearchParams();
  const objectId = params.get('object_id') || undefined;
  const query = { object_id: objectId, limit: PAGE };
  const pages = usePages('GET /api/v1/audit', { query });
  const keys = useApi('GET /api/v1/keys', { query: { limit: MOST_KEYS } });
  const nameOf = new Map(keys.data?.data.map(({ id, name }) => [id, name]));
  return (
    <>
      <PageHeader
        title="Audit"
        about="Who changed keys, sources and synchronizations, and who started, stopped or approved runs. Newest first."
        actions={<CurlButton operation="GET /api/v1/audit" input={{ query }} />}
      />
      <SimpleGrid component="search" cols={{ base: 1, xs: 2 }} mb="md" maw={640} aria-label="Filter the audit">
        <FilterText label="Only changes to" name="object_id" placeholder="An id, such as syn_… or key_…" maxLength={100} />
      </SimpleGrid>
      <Section title={objectId === undefined ? 'All changes' : 'Changes to this object'} flush>
        <DataTable
          label="Changes"
          columns={columnsWith(nameOf)}
          rows={pages.rows}
          rowKey={({ id }) => id}
          error={pages.error}
          refetch={pages.refetch}
          paging={{ ...pages, size: PAGE }}
          empty={
            objectId === undefined ? (
              <EmptyState title="Nothing has been changed yet.">
                What people and programs change by the interface is written down here, with the key that they used.
              </EmptyState>
            ) : (
              <EmptyState
                title="Nothing is known of an object with this id."
                actions={
                  <Button variant="default" onClick={() => setParams({}, { replace: true })}>
                    Show all changes
                  </Button>
                }
              >
                The id must be complete.
              </EmptyState>
            )
          }
        />
      </Section>
    </>
  );
}

/** `nameOf` knows the names of keys. */
function columnsWith(nameOf: ReadonlyMap<string, string>): readonly Column<AuditEntry>[] {
  return [
    { header: 'When', cell: ({ at }) => <time dateTime={at}>{formatMoment(at)}</time>, width: 190 },
    { header: 'Who', cell: ({ actor }) => <Named id={actor} name={nameOf.get(actor)} /> },
    { header: 'What', cell: ({ action }) => actionWords(action), width: 180 },
    { header: 'On', cell: (entry) => <Changed entry={entry} name={nameOf.get(entry.object_id)} /> },
    {
      header: 'Details',
      cell: ({ details }) => (
        <Text span size="xs" lineClamp={3}>
          <OutsideText>{detailWords(details)}</OutsideText>
        </Text>
      ),
      width: '30%',
    },
  ];
}

/** A key by its name; whoever has none is called by its id: a token, the operator, the command line. */
function Named({ id, name }: { id: string; name: string | undefined }) {
  return (
    <Text span inherit title={id}>
      <OutsideText>{name ?? id}</OutsideText>
    </Text>
  );
}

function Changed({ entry: { action, object_id, details }, name }: { entry: AuditEntry; name: string | undefined }) {
  const said = name ?? (typeof details['name'] === 'string' ? details['name'] : undefined);
  const href = hrefOf(action, object_id);
  const shown = <Named id={object_id} name={said} />;
  return href === undefined ? (
    shown
  ) : (
    <Anchor component={Link} href={href} size="sm" underline="hover">
      {shown}
    </Anchor>
  );
}
