import { NativeSelect, SimpleGrid, TextInput } from '@mantine/core';
import { FilterText } from '../../parts/filter/filter-text.tsx';
import { statusWord } from '../../parts/status/status.tsx';
import { useFilter } from '../../parts/filter/use-filter.ts';
import { ORDER_SORTS } from './order-query.ts';
import { ORDER_STATUSES } from './transitions.ts';

const SORT_WORDS: Readonly<Record<(typeof ORDER_SORTS)[number], string>> = {
  created_at: 'Oldest first',
  '-updated_at': 'Last changed first',
  '-total': 'Highest total first',
  total: 'Lowest total first',
};

/** What the list is narrowed by. All of it is in the address of the page. */
export function OrderFilterBar() {
  const [status, setStatus] = useFilter('status');
  const [from, setFrom] = useFilter('from');
  const [to, setTo] = useFilter('to');
  const [sort, setSort] = useFilter('sort');
  return (
    <SimpleGrid component="search" cols={{ base: 2, sm: 3, md: 5 }} spacing="sm" mb="md" aria-label="Filter orders">
      <FilterText label="Find" name="q" placeholder="number, name, e-mail, product" maxLength={200} />
      <NativeSelect
        label="Status"
        size="sm"
        value={status}
        onChange={({ currentTarget }) => setStatus(currentTarget.value)}
        data={[{ value: '', label: 'Any' }, ...ORDER_STATUSES.map((value) => ({ value, label: statusWord(value) }))]}
      />
      <FilterText label="Customer" name="customer_id" placeholder="c-1001" maxLength={64} />
      <FilterText label="External id" name="external_id" placeholder="SHOP-1" maxLength={255} />
      <FilterText label="Product" name="product_id" placeholder="mug-blue" maxLength={64} />
      <FilterText label="Channel" name="channel" placeholder="web" maxLength={64} />
      <FilterText label="Tag" name="tag" placeholder="gift" maxLength={100} />
      <TextInput
        label="From"
        type="date"
        size="sm"
        value={from}
        {...(to !== '' && { max: to })}
        onChange={({ currentTarget }) => setFrom(currentTarget.value)}
      />
      <TextInput
        label="Up to and including"
        type="date"
        size="sm"
        value={to}
        {...(from !== '' && { min: from })}
        onChange={({ currentTarget }) => setTo(currentTarget.value)}
      />
      <NativeSelect
        label="Sort"
        size="sm"
        value={sort}
        onChange={({ currentTarget }) => setSort(currentTarget.value)}
        data={[{ value: '', label: 'Newest first' }, ...ORDER_SORTS.map((value) => ({ value, label: SORT_WORDS[value] }))]}
      />
    </SimpleGrid>
  );
}
