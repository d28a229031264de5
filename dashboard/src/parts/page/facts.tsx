import { Box, Text } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';

/** What is known of a thing: names and values. `undefined` is left out. */
export function Facts({ facts }: { facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <Box component="dl" m={0} style={{ display: 'grid', gridTemplateColumns: 'fit-content(40%) minmax(0, 1fr)', gap: '6px 16px' }}>
      {facts.map(
        ([name, value]) =>
          value !== undefined && (
            <Fragment key={name}>
              <Text component="dt" size="sm" c="dimmed">
                {name}
              </Text>
              <Text component="dd" m={0} size="sm" style={{ overflowWrap: 'anywhere' }}>
                {value}
              </Text>
            </Fragment>
          ),
      )}
    </Box>
  );
}
