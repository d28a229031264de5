import { Grid, Pill, Select, Stack, TextInput } from '@mantine/core';
import type { LogQuery } from '../../api/use-followed-logs.ts';
import type { Log } from '../../api/resources.ts';
import { FilterText } from '../../parts/filter/filter-text.tsx';
import { SyncSelect } from '../../parts/filter/sync-select.tsx';
import { useFilter } from '../../parts/filter/use-filter.ts';

const LEVELS: readonly { value: Log['level']; label: string }[] = [
  { value: 'info', label: 'Info and above' },
  { value: 'warn', label: 'Warnings and errors' },
  { value: 'error', label: 'Errors only' },
];

/** What of the log is asked for, as the address of the page says. */
export function useLogQuery(): LogQuery {
  const [q] = useFilter('q');
  const [level] = useFilter('level');
  const [sync_id] = useFilter('sync_id');
  const [run_id] = useFilter('run_id');
  const [source_id] = useFilter('source_id');
  const [from] = useFilter('from');
  const [to] = useFilter('to');
  const given = Object.entries({ q, level, sync_id, run_id, source_id, from, to }).filter(([, value]) => value !== '');
  return Object.fromEntries(given);
}

export function LogFilters() {
  const [level, setLevel] = useFilter('level');
  const [sync, setSync] = useFilter('sync_id');
  const [run, setRun] = useFilter('run_id');
  const [source, setSource] = useFilter('source_id');
  return (
    <Stack gap="xs" px="md" pb="sm" role="search" aria-label="Log entries">
      <Grid gap="sm" columns={24}>
        <Grid.Col span={{ base: 24, md: 5 }}>
          <FilterText label="Search" name="q" placeholder="refused timeout" maxLength={200} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Select
            label="Level"
            placeholder="All"
            data={LEVELS}
            value={level || null}
            onChange={(value) => setLevel(value ?? '')}
            clearable
            clearButtonProps={{ 'aria-label': 'All levels' }}
            comboboxProps={{ shadow: 'md' }}
          />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <SyncSelect value={sync || undefined} onChange={(id) => setSync(id ?? '')} />
        </Grid.Col>
        <Grid.Col span={{ base: 24, xs: 12, md: 5 }}>
          <TimeFilter label="From" name="from" />
        </Grid.Col>
        <Grid.Col span={{ base: 24, xs: 12, md: 5 }}>
          <TimeFilter label="Until" name="to" />
        </Grid.Col>
      </Grid>
      {(run !== '' || source !== '') && (
        <Pill.Group aria-label="Only entries of">
          {run !== '' && <Narrowed what="run" id={run} drop={() => setRun('')} />}
          {source !== '' && <Narrowed what="source" id={source} drop={() => setSource('')} />}
        </Pill.Group>
      )}
    </Stack>
  );
}

function Narrowed({ what, id, drop }: { what: string; id: string; drop: () => void }) {
  return (
    <Pill
      withRemoveButton
      onRemove={drop}
      removeButtonProps={{ 'aria-label': `Entries of every ${what}`, 'aria-hidden': false, tabIndex: 0 }}
    >{`Only the ${what} ${id}`}</Pill>
  );
}

/** A moment, chosen by the browser's own means, in the time of the browser. */
function TimeFilter({ label, name }: { label: string; name: string }) {
  const [value, setValue] = useFilter(name);
  const moment = new Date(value);
  return (
    <TextInput
      type="datetime-local"
      label={label}
      value={Number.isNaN(moment.getTime()) ? '' : localText(moment)}
      onChange={({ currentTarget }) => setValue(currentTarget.value === '' ? '' : new Date(currentTarget.value).toISOString())}
    />
  );
}

/** As a field for date and time wants it: the time here, without a zone. */
function localText(moment: Date): string {
  return new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
