import { NativeSelect, SimpleGrid, TextInput } from '@mantine/core';
import { FilterText } from '../../parts/filter/filter-text.tsx';
import { statusWord } from '../../parts/status/status.tsx';
import { useFilter } from '../../parts/filter/use-filter.ts';
import { ORDER_STATUSES } from './transitions.ts';

/** What the list is narrowed by. All of it is in the address of the page. */
export function OrderFilterBar() {
  const [status, setStatus] = useFilter('status');
  const [from, setFrom] = useFilter('from');
  const [to, setTo] = useFilter('to');
  return (
    <SimpleGrid component="search" cols={{ base: 2, sm: 3, md: 5 }} spacing="sm" mb="md" aria-label="Filter orders">
      <NativeSelect
        label="Status"
        size="sm"
        value={status}
        onChange={({ currentTarget }) => setStatus(currentTarget.value)}
        data={[{ value: '', label: 'Any' }, ...ORDER_STATUSES.map((value) => ({ value, label: statusWord(value) }))]}
      />
      <FilterText label="Customer" name="customer_id" placeholder="c-1001" maxLength={64} />
      <FilterText label="External id" name="external_id" placeholder="SHOP-1" maxLength={255} />
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
    </SimpleGrid>
  );
}
