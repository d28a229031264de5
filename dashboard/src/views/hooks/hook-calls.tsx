import { Accordion, Box, Group, Stack, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { usePages } from '../../api/queries.ts';
import type { Hook, HookCall } from '../../api/resources.ts';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { EmptyState } from '../../parts/page/empty-state.tsx';
import { ErrorState } from '../../parts/page/error-state.tsx';
import { Facts } from '../../parts/page/facts.tsx';
import { PageSkeleton } from '../../parts/page/page-skeleton.tsx';
import { RawText } from '../../parts/page/raw-text.tsx';
import { Section } from '../../parts/page/section.tsx';
import { Paging } from '../../parts/table/paging.tsx';
import { formatMoment } from '../../parts/words/format.ts';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { RelativeTime } from '../../parts/words/relative-time.tsx';

const PAGE = 20;
/** Milliseconds. Calls are no events, so that the stream of changes does not tell of them. */
export const LOOK_AGAIN = 5_000;

/** The calls that were taken, newest first, each with all that came. */
export function HookCalls({ hook: { id, calls } }: { hook: Hook }) {
  const input = { params: { id }, query: { limit: PAGE } };
  const pages = usePages('GET /api/v1/datasync/hooks/{id}/calls', input);
  const { refetch } = pages;
  const seen = useRef(calls);
  // Who reads calls is written down: they are read again only when there are others.
  useEffect(() => {
    if (seen.current === calls) return;
    seen.current = calls;
    void refetch();
  }, [calls, refetch]);
  const { rows, error } = pages;
  return (
    <Section
      title="Calls"
      about="Newest first, as they came."
      flush
      actions={<CurlButton operation="GET /api/v1/datasync/hooks/{id}/calls" input={input} size={30} />}
    >
      {rows === undefined ? (
        <Box px="md" pb="md">
          {error ? <ErrorState error={error} retry={pages.refetch} /> : <PageSkeleton lines={3} />}
        </Box>
      ) : rows.length === 0 && pages.page === 0 ? (
        <EmptyState title="It was not called yet.">
          Set the sender up as described below. Most senders can send a test; it then is here within seconds.
        </EmptyState>
      ) : (
        <>
          <Accordion variant="default" chevronPosition="left">
            {rows.map((call) => (
              <Accordion.Item key={call.sequence} value={String(call.sequence)}>
                <Accordion.Control>
                  <Group gap="sm">
                    <Text size="sm" className="number">
                      {formatMoment(call.received_at)}
                    </Text>
                    <Text size="sm" c="dimmed">
                      <RelativeTime time={call.received_at} />
                    </Text>
                    {call.sender_id !== null && (
                      <Text size="xs" c="dimmed">
                        <OutsideText>{call.sender_id}</OutsideText>
                      </Text>
                    )}
                  </Group>
                </Accordion.Control>
                <Accordion.Panel>
                  <Call call={call} />
                </Accordion.Panel>
              </Accordion.Item>
            ))}
          </Accordion>
          <Paging {...pages} size={PAGE} shown={rows.length} label="Calls" />
        </>
      )}
    </Section>
  );
}

function Call({ call: { sequence, headers, body, encoding } }: { call: HookCall }) {
  return (
    <Stack gap="sm">
      <Facts facts={Object.entries(headers).map(([name, value]) => [name, <OutsideText key={name}>{String(value)}</OutsideText>])} />
      {encoding === 'base64' && (
        <Text size="sm" c="dimmed">
          The body is no text; it is shown as base64.
        </Text>
      )}
      {body === '' ? (
        <Text size="sm" c="dimmed">
          The body is empty.
        </Text>
      ) : (
        <RawText label={`Body of call ${sequence}`}>{body}</RawText>
      )}
    </Stack>
  );
}
