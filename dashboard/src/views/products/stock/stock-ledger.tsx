import { Anchor, NativeSelect, Text } from '@mantine/core';
import { Link } from 'wouter';
import { usePages } from '../../../api/queries.ts';
import type { ProductStock } from '../../../api/resources.ts';
import { CurlButton } from '../../../parts/action/curl-button.tsx';
import { useFilter } from '../../../parts/filter/use-filter.ts';
import { Section } from '../../../parts/page/section.tsx';
import { type Column, DataTable } from '../../../parts/table/data-table.tsx';
import { formatCount, formatMoment } from '../../../parts/words/format.ts';
import { OutsideText, visible } from '../../../parts/words/outside-text.tsx';
import { RelativeTime } from '../../../parts/words/relative-time.tsx';
import { formatDelta, type Movement, movementWord } from './stock-words.ts';

const PAGE = 25;

const COLUMNS: readonly Column<Movement>[] = [
  { header: 'What', cell: ({ kind }) => movementWord(kind), width: 150 },
  { header: 'Change', cell: ({ delta }) => formatDelta(delta), numeric: true, width: 90 },
  { header: 'On hand', cell: ({ on_hand }) => (on_hand === undefined ? '–' : formatCount(on_hand)), numeric: true, width: 130 },
  { header: 'Location', cell: ({ location }) => <OutsideText>{location}</OutsideText> },
  { header: 'Why', cell: (movement) => <Why movement={movement} /> },
  { header: 'When', cell: ({ at }) => <RelativeTime time={at} />, width: 130 },
];

/** Every movement, newest first. */
export function StockLedger({ stock: { product_id, locations } }: { stock: ProductStock }) {
  const [location, setLocation] = useFilter('location');
  // Known by their place: a name may hold what nobody sees. The one in the address may be of another day.
  const names = [...new Set([...locations.map((level) => level.location), ...(location === '' ? [] : [location])])];
  const input = { params: { product_id }, query: { limit: PAGE, location: location || undefined } };
  const pages = usePages('GET /api/v1/products/{product_id}/stock', input);
  return (
    <Section
      title="Ledger"
      about="Every movement, newest first. Their sum is what is on hand."
      actions={
        <>
          {(locations.length > 1 || location !== '') && (
            <NativeSelect
              aria-label="Location"
              size="xs"
              value={location === '' ? '' : String(names.indexOf(location))}
              onChange={({ currentTarget: { value } }) => setLocation(value === '' ? '' : (names[Number(value)] ?? ''))}
              data={[
                { value: '', label: 'All locations' },
                ...names.map((name, place) => ({ value: String(place), label: visible(name) })),
              ]}
            />
          )}
          <CurlButton operation="GET /api/v1/products/{product_id}/stock" input={input} size={30} />
        </>
      }
      flush
    >
      <DataTable
        label="Movements"
        columns={COLUMNS}
        rows={pages.rows?.movements}
        rowKey={({ id }) => id}
        error={pages.error}
        refetch={pages.refetch}
        paging={{ ...pages, size: PAGE }}
        empty={
          <Text size="sm" c="dimmed" px="md" pb="md">
            Nothing has moved {location === '' ? '' : 'here '}yet.
          </Text>
        }
      />
    </Section>
  );
}

function Why({ movement: { reason, order_id, as_of } }: { movement: Movement }) {
  return (
    <>
      {reason !== null && <OutsideText>{reason}</OutsideText>}
      {order_id !== null && (
        <Anchor component={Link} href={`/orders/${order_id}`} ff="monospace" size="xs">
          {order_id}
        </Anchor>
      )}
      {as_of !== null && <> as it was on {formatMoment(as_of)}</>}
    </>
  );
}
