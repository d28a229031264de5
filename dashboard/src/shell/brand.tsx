import { Group, Text } from '@mantine/core';

export function Brand() {
  return (
    <Group gap={8} wrap="nowrap">
      <img src="/static/icon.svg" width={24} height={24} alt="" />
      <Text span fw={700} size="lg">
        Syncline
      </Text>
    </Group>
  );
}
