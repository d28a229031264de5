import { Anchor, Button, NativeSelect, SimpleGrid, Text } from '@mantine/core';
import { useMemo } from 'react';
import { Link, useSearchParams } from 'wouter';
import { useApi, usePages } from '../../api/queries.ts';
import type { AuditEntry } from '../../api/resources.ts';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { type Column, DataTable } from '../../parts/table/data-table.tsx';
import { EmptyState } from '../../parts/page/empty-state.tsx';
import { FilterText } from '../../parts/filter/filter-text.tsx';
import { formatMoment } from '../../parts/words/format.ts';
import { namesOf } from '../../parts/words/names.ts';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { Section } from '../../parts/page/section.tsx';
import { useFilter } from '../../parts/filter/use-filter.ts';
import { ACTIONS, actionWords, detailWords, hrefOf } from './audit-words.ts';

const PAGE = 50;
const MOST_KEYS = 1000;

/** Who changed what, who read what, from where, and when. */
export function Audit() {
  const [, setParams] = useSearchParams();
  const [objectId] = useFilter('object_id');
  const [actor] = useFilter('actor');
  const [action, setAction] = useFilter('action');
  const isFiltered = objectId !== '' || actor !== '' || action !== '';
  const query = { object_id: objectId || undefined, actor: actor || undefined, action: action || undefined, limit: PAGE };
  const pages = usePages('GET /api/v1/audit', { query });
  const keys = useApi('GET /api/v1/keys', { query: { limit: MOST_KEYS } });
  const { names } = namesOf(keys.data?.data);
  const columns = useMemo(() => columnsWith(names), [names]);
  return (
    <>
      <PageHeader
        title="Audit"
        about="Who changed keys, sources and synchronizations, who started, stopped or approved runs, and who was shown rows. Newest first."
        actions={<CurlButton operation="GET /api/v1/audit" input={{ query }} />}
      />
      <SimpleGrid component="search" cols={{ base: 1, xs: 3 }} mb="md" maw={960} aria-label="Filter the audit">
        <NativeSelect
          label="Action"
          size="sm"
          value={action}
          onChange={({ currentTarget }) => setAction(currentTarget.value)}
          data={[{ value: '', label: 'Everything' }, ...ACTIONS.map((value) => ({ value, label: actionWords(value) }))]}
        />
        <FilterText label="Actor" name="actor" placeholder="The id of a key" maxLength={600} />
        <FilterText label="Object" name="object_id" placeholder="An id, such as syn_… or key_…" maxLength={100} />
      </SimpleGrid>
      <Section title={isFiltered ? 'Matching entries' : 'All entries'} flush>
        <DataTable
          label="Entries"
          columns={columns}
          rows={pages.rows}
          rowKey={({ id }) => id}
          error={pages.error}
          refetch={pages.refetch}
          paging={{ ...pages, size: PAGE }}
          empty={
            !isFiltered ? (
              <EmptyState title="Nothing has been changed yet.">
                What people and programs change is recorded here, with the key that they used.
              </EmptyState>
            ) : (
              <EmptyState
                title="No entry matches."
                actions={
                  <Button variant="default" onClick={() => setParams({}, { replace: true })}>
                    Clear the filters
                  </Button>
                }
              >
                Ids must be complete.
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
    { header: 'Time', cell: ({ at }) => <time dateTime={at}>{formatMoment(at)}</time>, width: 170 },
    { header: 'Actor', cell: ({ actor }) => <Named id={actor} name={nameOf.get(actor)} />, width: 95 },
    { header: 'Action', cell: ({ action }) => actionWords(action), width: 165 },
    { header: 'Address', cell: ({ address, request_id }) => <Origin address={address} requestId={request_id} />, width: 105 },
    { header: 'Object', cell: (entry) => <Changed entry={entry} name={nameOf.get(entry.object_id)} /> },
    {
      header: 'Details',
      cell: ({ details }) => (
        <Text span size="xs" lineClamp={3}>
          <OutsideText>{detailWords(details)}</OutsideText>
        </Text>
      ),
      width: '22%',
    },
  ];
}

/** A key by its name; an actor without one is called by its id: a token, the operator, the command line. */
function Named({ id, name }: { id: string; name: string | undefined }) {
  return (
    <Text span inherit title={id}>
      <OutsideText>{name ?? id}</OutsideText>
    </Text>
  );
}

/** The address of the client. Point at it to see which request it was, as the log names it. */
function Origin({ address, requestId }: { address: string | null; requestId: string | null }) {
  if (address === null) return null;
  return (
    <Text span inherit className="number" {...(requestId !== null && { title: `Request ${requestId}` })}>
      <OutsideText>{address}</OutsideText>
    </Text>
  );
}

function Changed({ entry: { action, object_id, details }, name }: { entry: AuditEntry; name: string | undefined }) {
  // A list has no id of its own.
  if (object_id === '') return null;
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
