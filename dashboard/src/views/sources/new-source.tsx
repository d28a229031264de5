import '../../parts/form/choices.css';
import { Anchor, Box, SimpleGrid, Text, UnstyledButton } from '@mantine/core';
import { Loaded } from '../../parts/page/loaded.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { useFilter } from '../../parts/filter/use-filter.ts';
import { useConnectors } from './connectors.ts';
import { SourceForm } from './source-form.tsx';

const PARENT = { label: 'Sources', href: '/sources' };

/** First what kind of system it is, then what its connector needs. */
export function NewSource() {
  const connectors = useConnectors();
  const [type, setType] = useFilter('type');
  const chosen = connectors.byType.get(type);
  return (
    <>
      <PageHeader
        title="Add a source"
        parent={PARENT}
        about={
          chosen ? (
            <>
              Fill in what the connector needs and test it before saving.{' '}
              <Anchor component="button" type="button" size="sm" onClick={() => setType('')}>
                Choose another type
              </Anchor>
            </>
          ) : (
            'What type of system is it?'
          )
        }
      />
      <Loaded query={connectors}>
        {({ data }) =>
          chosen ? (
            <SourceForm key={type} connector={chosen} />
          ) : (
            <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="md">
              {data.map((connector) => (
                <UnstyledButton key={connector.type} className="surface choice" p="md" onClick={() => setType(connector.type)}>
                  <Text fw={600}>{connector.title}</Text>
                  <Text size="sm" c="dimmed">
                    {connector.description}
                  </Text>
                  <Box mt="xs">
                    <Text size="xs" c="dimmed">
                      {abilityWords(connector.abilities)}
                    </Text>
                  </Box>
                </UnstyledButton>
              ))}
            </SimpleGrid>
          )
        }
      </Loaded>
    </>
  );
}

function abilityWords({ read, write }: { read: boolean; write: readonly string[] }): string {
  if (read && write.length > 0) return 'Can be read and written.';
  return read ? 'Can be read.' : 'Can be written.';
}
