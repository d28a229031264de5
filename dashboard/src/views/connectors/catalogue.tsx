import { Badge, Box, Button, Group, List, SimpleGrid, Text } from '@mantine/core';
import { Link } from 'wouter';
import { useApi } from '../../api/queries.ts';
import type { Connector } from '../../api/resources.ts';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { FilterText } from '../../parts/filter/filter-text.tsx';
import { useFilter } from '../../parts/filter/use-filter.ts';
import { EmptyState } from '../../parts/page/empty-state.tsx';
import { Loaded } from '../../parts/page/loaded.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { useMay } from '../../shell/me.tsx';

const CATEGORY: Readonly<Record<Connector['category'], string>> = {
  database: 'Database',
  file: 'Files',
  api: 'API',
  shop: 'Shop',
  events: 'Events',
  other: 'Other',
};

/** Every system that can be reached: what it can read, write, follow live and promise. */
export function Catalogue() {
  const [q] = useFilter('q');
  const query = { limit: 1000, ...(q !== '' && { q }) };
  const connectors = useApi('GET /api/v1/datasync/connectors', { query });
  return (
    <>
      <PageHeader
        title="Connectors"
        about="The systems that Syncline reaches, and what can be relied on with each."
        actions={<CurlButton operation="GET /api/v1/datasync/connectors" input={{ query }} />}
      />
      <Box maw={360} mb="md">
        <FilterText label="Search" name="q" placeholder="A name, a format, or live" maxLength={200} />
      </Box>
      <Loaded query={connectors}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState title="No connector matches.">
              Look for other words. An API that is not listed can be declared with the connector for HTTP.
            </EmptyState>
          ) : (
            <SimpleGrid component="ul" cols={{ base: 1, md: 2 }} spacing="md" p={0} m={0} style={{ listStyle: 'none' }}>
              {data.map((connector) => (
                <Entry key={connector.type} connector={connector} />
              ))}
            </SimpleGrid>
          )
        }
      </Loaded>
    </>
  );
}

function Entry({ connector: { type, title, description, category, abilities, promises } }: { connector: Connector }) {
  const may = useMay();
  return (
    <Box component="li" className="surface" p="md" display="flex" style={{ flexDirection: 'column' }}>
      <Group justify="space-between" align="start" wrap="nowrap">
        <Text component="h2" size="md" fw={600} m={0}>
          {title}
        </Text>
        <Badge variant="light" color="gray" flex="none">
          {CATEGORY[category]}
        </Badge>
      </Group>
      <Text size="sm" c="dimmed" mt={4}>
        {description}
      </Text>
      <Group gap="xs" mt="sm">
        {abilityWords(abilities).map((word) => (
          <Badge key={word} variant="light" tt="none">
            {word}
          </Badge>
        ))}
      </Group>
      <List size="sm" mt="sm" mb="md" spacing={2}>
        {promises.map((promise) => (
          <List.Item key={promise}>{promise}</List.Item>
        ))}
      </List>
      {may('datasync:write') && (
        <Button
          component={Link}
          href={`/sources/new?type=${encodeURIComponent(type)}`}
          variant="default"
          size="xs"
          mt="auto"
          style={{ alignSelf: 'flex-start' }}
          aria-label={`Add a source: ${title}`}
        >
          Add a source
        </Button>
      )}
    </Box>
  );
}

function abilityWords({ read, write, log, applies, undo, structure }: Connector['abilities']): string[] {
  return [
    ...(read ? ['Read'] : []),
    ...write.map((mode) => `Write: ${mode}`),
    ...(log ? ['Live source'] : []),
    ...(applies ? ['Live target'] : []),
    ...(undo ? ['Undo'] : []),
    ...(structure ? ['Keys and indexes'] : []),
  ];
}
