import { Paper, Text } from '@mantine/core';

/** One number with its name and a few words about it; stands in a `dl`. */
export function Figure({ label, value, note, color }: { label: string; value: string; note: string; color?: string }) {
  return (
    <Paper className="surface" p="md">
      <Text component="dt" size="sm" c="dimmed">
        {label}
      </Text>
      <Text component="dd" m={0} fz={26} fw={650} lh={1.25} className="number" {...(color !== undefined && { c: color })}>
        {value}
      </Text>
      <Text component="dd" m={0} size="xs" c="dimmed">
        {note}
      </Text>
    </Paper>
  );
}
