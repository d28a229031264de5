import { Text } from '@mantine/core';
import type { ProductStock } from '../../../api/resources.ts';
import { type Column, DataTable } from '../../../parts/table/data-table.tsx';
import { formatCount } from '../../../parts/words/format.ts';
import { OutsideText } from '../../../parts/words/outside-text.tsx';

type Level = Omit<ProductStock['locations'][number], 'location'> & { location: string | undefined };

const COLUMNS: readonly Column<Level>[] = [
  {
    header: 'Location',
    cell: ({ location }) => (location === undefined ? <strong>In all</strong> : <OutsideText>{location}</OutsideText>),
  },
  { header: 'On hand', cell: ({ on_hand }) => formatCount(on_hand), numeric: true, width: 110 },
  { header: 'Reserved', cell: ({ reserved }) => formatCount(reserved), numeric: true, width: 110 },
  { header: 'Available', cell: ({ available }) => <Available units={available} />, numeric: true, width: 130 },
];

/** What a product has at each location, and in all where there are several. */
export function StockLevels({ stock }: { stock: ProductStock }) {
  const { locations, on_hand, reserved, available } = stock;
  const rows: Level[] = [...locations, ...(locations.length > 1 ? [{ location: undefined, on_hand, reserved, available }] : [])];
  return <DataTable label="Stock by location" columns={COLUMNS} rows={rows} rowKey={({ location = '' }) => location} empty="" />;
}

/** None is said in a word, not by a colour alone. */
function Available({ units }: { units: number }) {
  if (units > 0) return formatCount(units);
  return (
    <Text span inherit c="var(--status-warning)">
      {units === 0 ? 'none' : `${formatCount(-units)} too few`}
    </Text>
  );
}
