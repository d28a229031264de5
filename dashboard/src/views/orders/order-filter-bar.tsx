import { Box, Button, Collapse, Grid, NativeSelect, SimpleGrid, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { FilterText } from '../../parts/filter/filter-text.tsx';
import { useFilter } from '../../parts/filter/use-filter.ts';
import { ORDER_SORTS } from './order-query.ts';
import { StatusFilter } from './status-filter.tsx';

const SORT_WORDS: Readonly<Record<(typeof ORDER_SORTS)[number], string>> = {
  created_at: 'Oldest first',
  '-placed_at': 'Last placed first',
  placed_at: 'First placed first',
  '-updated_at': 'Last changed first',
  '-total': 'Highest total first',
  total: 'Lowest total first',
};

/** What must be written exactly as the order has it. */
const EXACT = [
  { label: 'Customer', name: 'customer_id', placeholder: 'c-1001', maxLength: 64 },
  { label: 'External id', name: 'external_id', placeholder: 'SHOP-1', maxLength: 255 },
  { label: 'Product', name: 'product_id', placeholder: 'mug-blue', maxLength: 64 },
  { label: 'Channel', name: 'channel', placeholder: 'web', maxLength: 64 },
  { label: 'Tag', name: 'tag', placeholder: 'gift', maxLength: 100 },
  { label: 'Currency', name: 'currency', placeholder: 'EUR', maxLength: 3 },
] as const;

/** What the list is narrowed by. All of it is in the address of the page. */
export function OrderFilterBar() {
  const [params] = useSearchParams();
  const [from, setFrom] = useFilter('from');
  const [to, setTo] = useFilter('to');
  const [sort, setSort] = useFilter('sort');
  const [placedFrom, setPlacedFrom] = useFilter('placed_from');
  const [placedTo, setPlacedTo] = useFilter('placed_to');
  const used = [...EXACT.map(({ name }) => name), 'placed_from', 'placed_to'].filter((name) => params.get(name)).length;
  const [isOpen, setOpen] = useState(used > 0);
  return (
    <Box component="search" mb="md" aria-label="Filter orders">
      <Grid gap="sm" align="flex-end">
        <Grid.Col span={{ base: 12, lg: 4 }}>
          <FilterText label="Find" name="q" placeholder="Number, name, e-mail, product" maxLength={200} />
        </Grid.Col>
        <Grid.Col span={{ base: 6, md: 3, lg: 2 }}>
          <StatusFilter />
        </Grid.Col>
        <Grid.Col span={{ base: 6, md: 3, lg: 2 }}>
          <NativeSelect
            label="Sort"
            size="sm"
            value={sort}
            onChange={({ currentTarget }) => setSort(currentTarget.value)}
            data={[{ value: '', label: 'Newest first' }, ...ORDER_SORTS.map((value) => ({ value, label: SORT_WORDS[value] }))]}
          />
        </Grid.Col>
        <Grid.Col span={{ base: 6, md: 3, lg: 2 }}>
          <DayInput label="From" value={from} max={to} onChange={setFrom} />
        </Grid.Col>
        <Grid.Col span={{ base: 6, md: 3, lg: 2 }}>
          <DayInput label="Up to and including" value={to} min={from} onChange={setTo} />
        </Grid.Col>
      </Grid>
      <Button variant="subtle" size="compact-sm" px={4} mt="xs" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? 'Fewer filters' : `More filters${used > 0 ? ` (${used} in use)` : ''}`}
      </Button>
      <Collapse expanded={isOpen}>
        <SimpleGrid cols={{ base: 2, md: 4, lg: 6 }} spacing="sm" mt="xs" style={{ alignItems: 'end' }}>
          {EXACT.map((filter) => (
            <FilterText key={filter.name} {...filter} />
          ))}
          <DayInput label="Placed from" value={placedFrom} max={placedTo} onChange={setPlacedFrom} />
          <DayInput label="Placed up to and including" value={placedTo} min={placedFrom} onChange={setPlacedTo} />
        </SimpleGrid>
      </Collapse>
    </Box>
  );
}

interface DayInputProps {
  label: string;
  value: string;
  /** Days that it must not be before, and behind; empty when there are none. */
  min?: string;
  max?: string;
  onChange: (day: string) => void;
}

function DayInput({ label, value, min = '', max = '', onChange }: DayInputProps) {
  return (
    <TextInput
      label={label}
      type="date"
      size="sm"
      value={value}
      {...(min !== '' && { min })}
      {...(max !== '' && { max })}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
