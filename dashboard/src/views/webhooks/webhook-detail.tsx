import { Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useParams } from 'wouter';
import { useApi } from '../../api/queries.ts';
import type { Webhook } from '../../api/resources.ts';
import { LISTS } from '../../lists.ts';
import { CopyButton } from '../../parts/action/copy-button.tsx';
import { Facts } from '../../parts/page/facts.tsx';
import { LoadedPage } from '../../parts/page/loaded-page.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { Section } from '../../parts/page/section.tsx';
import { formatMoment } from '../../parts/words/format.ts';
import { OutsideText } from '../../parts/words/outside-text.tsx';
import { Deliveries } from './deliveries.tsx';
import { typesWords } from './event-types.ts';
import { TestOutcome, type TestResult } from './test-outcome.tsx';
import { WebhookActions } from './webhook-actions.tsx';
import { VerifyHint } from './webhook-secret.tsx';
import { WebhookState } from './webhook-state.tsx';
import { LOOK_AGAIN, PAYLOAD_WORDS, SIGNATURE_WORDS } from './webhook-words.ts';
import { Note } from '../../parts/status/note.tsx';

/** One endpoint: how it is, what it is told, and every delivery to it. */
export function WebhookDetail() {
  const { id = '' } = useParams();
  const webhook = useApi('GET /api/v1/webhooks/{id}', { params: { id } }, { every: LOOK_AGAIN });
  return (
    <LoadedPage query={webhook} list={LISTS.webhooks}>
      {({ data }) => <Detail key={data.id} webhook={data} />}
    </LoadedPage>
  );
}

function Detail({ webhook }: { webhook: Webhook }) {
  const [tested, setTested] = useState<TestResult>();
  return (
    <>
      <PageHeader
        title={webhook.name}
        about={<OutsideText>{webhook.url}</OutsideText>}
        parent={LISTS.webhooks}
        actions={<WebhookActions webhook={webhook} onTested={setTested} />}
      />
      <Stack gap="md">
        {tested && <TestOutcome result={tested} onClose={() => setTested(undefined)} />}
        <WebhookState webhook={webhook} />
        <Deliveries webhook={webhook}>
          <Setup webhook={webhook} />
          <Signature webhook={webhook} />
        </Deliveries>
      </Stack>
    </>
  );
}

function Setup({ webhook }: { webhook: Webhook }) {
  const headers = Object.keys(webhook.headers);
  return (
    <Section title="Configuration">
      <Facts
        facts={[
          ['Events', <OutsideText key="types">{typesWords(webhook.types)}</OutsideText>],
          ['Condition', webhook.condition === null ? undefined : <OutsideText key="condition">{webhook.condition}</OutsideText>],
          ['Payload', PAYLOAD_WORDS[webhook.payload]],
          ['Headers', headers.length === 0 ? undefined : <OutsideText key="headers">{headers.join(', ')}</OutsideText>],
          ['At the same time', String(webhook.max_in_flight)],
          ['At most per second', webhook.rate === null ? 'no limit' : String(webhook.rate)],
          ['Id', webhook.id],
          ['Created', formatMoment(webhook.created_at)],
          ['Updated', formatMoment(webhook.updated_at)],
        ]}
      />
    </Section>
  );
}

function Signature({ webhook: { signature, public_key, secrets } }: { webhook: Webhook }) {
  const ending = secrets.filter(({ expires_at }) => expires_at !== null);
  return (
    <Section title="Signature" about={`${SIGNATURE_WORDS[signature]}.`}>
      <Stack gap="sm">
        {ending.map(({ id, expires_at }) => (
          <Note tone="warning" key={id} title="Two secrets sign at this moment">
            The one before ends {expires_at !== null && formatMoment(expires_at)}: give the receiver the new one until then.
          </Note>
        ))}
        {public_key !== null && (
          <div>
            <Text size="sm" mb={4}>
              Public key: <OutsideText>{public_key}</OutsideText>
            </Text>
            <CopyButton text={public_key} size="xs" variant="default" />
          </div>
        )}
        <VerifyHint publicKey={public_key} />
      </Stack>
    </Section>
  );
}
