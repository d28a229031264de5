import '../../parts/form/choices.css';
import { Box, SimpleGrid, Text, UnstyledButton } from '@mantine/core';
import type { Connector } from '../../api/resources.ts';

/** What type of system it is: the first step of adding a source. */
export function ConnectorChoice({ connectors, cols, onChoose }: ConnectorChoiceProps) {
  return (
    <SimpleGrid cols={cols} spacing="md">
      {connectors.map((connector) => (
        <UnstyledButton key={connector.type} className="surface choice" p="md" onClick={() => onChoose(connector.type)}>
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
  );
}

interface ConnectorChoiceProps {
  connectors: readonly Connector[];
  /** Columns by the width of the screen. */
  cols: { base: number; sm: number; lg: number };
  onChoose: (type: string) => void;
}

function abilityWords({ read, write }: { read: boolean; write: readonly string[] }): string {
  if (read && write.length > 0) return 'Can be read and written.';
  return read ? 'Can be read.' : 'Can be written.';
}
