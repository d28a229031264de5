import { Anchor, Box, Grid, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useApi } from '../../api/queries.ts';
import type { Metrics as MetricsData } from '../../api/resources.ts';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { Loaded } from '../../parts/page/loaded.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { SyncSelect } from '../../parts/filter/sync-select.tsx';
import { useFilter } from '../../parts/filter/use-filter.ts';
import { type Window, WINDOW_WORDS, WindowChoice } from '../../parts/filter/window-choice.tsx';
import { MetricCharts } from './metric-charts.tsx';
import { MetricFigures } from './metric-figures.tsx';
import { SyncFigures } from './sync-figures.tsx';

/** How synchronizations are doing, over a time that one chooses. */
export function Metrics() {
  const [chosen, setWindow] = useFilter('window');
  const [sync, setSync] = useFilter('sync_id');
  const window: Window = chosen in WINDOW_WORDS ? (chosen as Window) : '24h';
  const query = { window, ...(sync !== '' && { sync_id: sync }) };
  const metrics = useApi('GET /api/v1/datasync/metrics', { query });
  return (
    <>
      <PageHeader
        title="Metrics"
        about="How much was read and written, how fast, and how many runs succeeded. A run counts when it has ended; previews do not count."
        actions={<CurlButton operation="GET /api/v1/datasync/metrics" input={{ query }} />}
      />
      <Stack gap="md">
        <Group align="flex-end" gap="md">
          <Box w={{ base: '100%', xs: 280 }}>
            <SyncSelect value={sync || undefined} onChange={(id) => setSync(id ?? '')} />
          </Box>
          <WindowChoice window={window} onChange={setWindow} />
        </Group>
        <Loaded query={metrics}>{({ data }) => <Shown metrics={data} sync={sync} />}</Loaded>
        <Text size="xs" c="dimmed">
          Prometheus reads the same figures at <Anchor href="/docs">GET /api/v1/datasync/metrics</Anchor> with “Accept: text/plain”.
        </Text>
      </Stack>
    </>
  );
}

function Shown({ metrics, sync }: { metrics: MetricsData; sync: string }) {
  return (
    <>
      <SimpleGrid cols={{ base: 2, sm: 3 }} spacing="md" component="dl" m={0}>
        <MetricFigures metrics={metrics} />
      </SimpleGrid>
      <Grid gap="md">
        <MetricCharts metrics={metrics} sync={sync} />
      </Grid>
      {sync === '' && <SyncFigures metrics={metrics} />}
    </>
  );
}
