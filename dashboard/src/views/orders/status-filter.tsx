import { Checkbox, Combobox, InputBase, Popover, Stack } from '@mantine/core';
import { useFilter } from '../../parts/filter/use-filter.ts';
import { statusWord } from '../../parts/status/status.tsx';
import { statusesIn } from './order-query.ts';
import { ORDER_STATUSES } from './transitions.ts';

/** One status, or several: in the address of the page with commas between. */
export function StatusFilter() {
  const [given, setGiven] = useFilter('status');
  const chosen = statusesIn(given);
  return (
    <Popover position="bottom-start" shadow="md" trapFocus width="target">
      <Popover.Target>
        <InputBase
          label="Status"
          component="button"
          type="button"
          pointer
          size="sm"
          rightSection={<Combobox.Chevron />}
          rightSectionPointerEvents="none"
          styles={{ input: { textOverflow: 'ellipsis', overflow: 'hidden', whiteSpace: 'nowrap' } }}
        >
          {chosen.length === 0 ? 'Any' : chosen.map(statusWord).join(', ')}
        </InputBase>
      </Popover.Target>
      <Popover.Dropdown miw={170}>
        <Checkbox.Group aria-label="Status" value={chosen} onChange={(statuses) => setGiven(statuses.join(','))}>
          <Stack gap="xs">
            {ORDER_STATUSES.map((status) => (
              <Checkbox key={status} value={status} label={statusWord(status)} />
            ))}
          </Stack>
        </Checkbox.Group>
      </Popover.Dropdown>
    </Popover>
  );
}
