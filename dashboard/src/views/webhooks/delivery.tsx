import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useParams } from 'wouter';
import { ApiError } from '../../api/errors.ts';
import { useApi } from '../../api/queries.ts';
import type { DeliveryDetail } from '../../api/resources.ts';
import { LISTS } from '../../lists.ts';
import { ActionButton } from '../../parts/action/action-button.tsx';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { EmptyState } from '../../parts/page/empty-state.tsx';
import { Facts } from '../../parts/page/facts.tsx';
import { LoadedPage } from '../../parts/page/loaded-page.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { PageSkeleton } from '../../parts/page/page-skeleton.tsx';
import { RawText } from '../../parts/page/raw-text.tsx';
import { Section } from '../../parts/page/section.tsx';
import { StatusBadge } from '../../parts/status/status.tsx';
import { formatDuration, formatMoment } from '../../parts/words/format.ts';
import { OutsideText, visible } from '../../parts/words/outside-text.tsx';
import { NextAttempt } from './next-attempt.tsx';
import { answerWords, LOOK_AGAIN, queuedWords } from './webhook-words.ts';

/** One message to one endpoint: what was sent, what was answered, each time. */
export function DeliveryPage() {
  const { id = '', sequence = '' } = useParams();
  const webhook = useApi('GET /api/v1/webhooks/{id}', { params: { id } });
  const input = { params: { id, sequence } };
  const delivery = useApi('GET /api/v1/webhooks/{id}/deliveries/{sequence}', input, { every: LOOK_AGAIN });
  const name = webhook.data?.data.name ?? id;
  // Its name is in the head, and what does not exist depends on it.
  if (webhook.isPending) return <PageSkeleton />;
  const parent = { label: visible(name), href: `/webhooks/${id}` };
  const isGone = webhook.error instanceof ApiError && webhook.error.status === 404;
  return (
    <LoadedPage query={delivery} list={isGone ? LISTS.webhooks : { ...parent, one: 'delivery', way: 'the webhook' }}>
      {({ data }) => (
        <>
          <PageHeader
            title={data.type}
            parent={parent}
            about={
              <>
                Message <OutsideText>{data.message_id}</OutsideText> to <OutsideText>{name}</OutsideText>.
              </>
            }
            actions={
              <ActionButton
                operation="POST /api/v1/webhooks/{id}/replay"
                input={{ params: { id }, body: { message_id: data.message_id } }}
                scope="webhooks"
                unavailable={data.status === 'waiting' ? 'It is waiting to be sent already.' : undefined}
                done={({ data: { queued } }) => queuedWords(queued)}
              >
                Replay
              </ActionButton>
            }
          />
          <Stack gap="md">
            <Summary
              delivery={data}
              curl={<CurlButton operation="GET /api/v1/webhooks/{id}/deliveries/{sequence}" input={input} />}
              isActive={(webhook.data?.data.status ?? 'active') === 'active'}
            />
            <Attempts delivery={data} />
            <Request delivery={data} />
          </Stack>
        </>
      )}
    </LoadedPage>
  );
}

function Summary({ delivery, isActive, curl }: { delivery: DeliveryDetail; isActive: boolean; curl: ReactNode }) {
  const { status, object_id, attempts, created_at, updated_at, next_at, error } = delivery;
  return (
    <Section title="Status" actions={curl}>
      <Stack gap="sm">
        <StatusBadge status={status} />
        <Facts
          facts={[
            ['Object', <OutsideText key="object">{object_id}</OutsideText>],
            ['Answer', <OutsideText key="answer">{answerWords(delivery)}</OutsideText>],
            ['Error', error === null ? undefined : <OutsideText key="error">{error}</OutsideText>],
            ['Attempts', String(attempts)],
            ['Next attempt', next_at === null ? undefined : <NextAttempt key="next" time={next_at} isActive={isActive} />],
            ['Event of', formatMoment(created_at)],
            ['Changed', formatMoment(updated_at)],
          ]}
        />
      </Stack>
    </Section>
  );
}

/** Without numbers: a replay counts its attempts anew, and probes of an endpoint that fails are not counted. */
function Attempts({ delivery: { log } }: { delivery: DeliveryDetail }) {
  return (
    <Section
      title="Attempts"
      about="The last ten, oldest first, each with the first kilobyte of the answer. A replay begins to count anew, and probes do not count."
    >
      {log.length === 0 ? (
        <EmptyState title="It was not sent yet.">
          It waits for its turn, or for messages about the same object that come before it.
        </EmptyState>
      ) : (
        <Stack component="ol" gap="md" m={0} p={0} style={{ listStyle: 'none' }}>
          {log.map((attempt) => (
            <li key={attempt.at}>
              <Text size="sm" fw={500}>
                {formatMoment(attempt.at)}: {attempt.response_status === null ? 'no answer' : `HTTP ${attempt.response_status}`} after{' '}
                {formatDuration(attempt.duration_ms)}
              </Text>
              {attempt.error !== null && (
                <Text size="sm" c="dimmed">
                  <OutsideText>{attempt.error}</OutsideText>
                </Text>
              )}
              {attempt.response_body !== null && attempt.response_body !== '' && (
                <RawText label={`Answer to the attempt of ${formatMoment(attempt.at)}`}>{attempt.response_body}</RawText>
              )}
            </li>
          ))}
        </Stack>
      )}
    </Section>
  );
}

function Request({ delivery: { request } }: { delivery: DeliveryDetail }) {
  return (
    <Section title="Request" about="As it would be sent now. Values of your own headers are not shown.">
      {request === null ? (
        <EmptyState title="The event is not in the feed any more." />
      ) : (
        <Stack gap="sm">
          <Facts
            facts={Object.entries(request.headers).map(([name, value]) => [name, <OutsideText key={name}>{String(value)}</OutsideText>])}
          />
          <RawText label="Body">{request.body}</RawText>
        </Stack>
      )}
    </Section>
  );
}
