import { Button } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Webhook } from '../../api/resources.ts';
import { ActionButton } from '../../parts/action/action-button.tsx';
import { RotateDialog } from '../../parts/action/rotate-dialog.tsx';
import { ScopedButton } from '../../parts/action/scoped-button.tsx';
import { visible } from '../../parts/words/outside-text.tsx';
import { useMay } from '../../shell/me.tsx';
import type { TestResult } from './test-outcome.tsx';
import { type NewSecret, WebhookSecret } from './webhook-secret.tsx';
import { useGoOn } from '../../parts/page/use-go-on.ts';

/** What one does with an endpoint. */
export function WebhookActions({ webhook, onTested }: { webhook: Webhook; onTested: (result: TestResult) => void }) {
  const { id, name, status } = webhook;
  const goOn = useGoOn();
  const [rotating, setRotating] = useState(false);
  const [secret, setSecret] = useState<NewSecret>();
  const input = { params: { id } };
  // A key may not send what it may not read itself.
  const scope = ['webhooks', ...webhook.scopes] as const;
  const may = useMay();
  return (
    <>
      <ActionButton
        operation="POST /api/v1/webhooks/{id}/test"
        input={input}
        scope="webhooks"
        onDone={({ data }) => onTested(data)}
        look={{ variant: 'filled' }}
      >
        Send a test
      </ActionButton>
      {status === 'active' ? (
        <ActionButton
          operation="POST /api/v1/webhooks/{id}/pause"
          input={input}
          scope="webhooks"
          done="Paused: what happens meanwhile is kept."
        >
          Pause
        </ActionButton>
      ) : (
        <ActionButton
          operation="POST /api/v1/webhooks/{id}/resume"
          input={input}
          scope={scope}
          done="Resumed: what it has missed follows in order."
        >
          Resume
        </ActionButton>
      )}
      {scope.every(may) && (
        <Button component={Link} href={`/webhooks/${id}/edit`} variant="default">
          Edit
        </Button>
      )}
      <ScopedButton scope={scope} onClick={() => setRotating(true)}>
        Rotate
      </ScopedButton>
      <ActionButton
        operation="DELETE /api/v1/webhooks/{id}"
        input={input}
        scope="webhooks"
        done={`Deleted "${visible(name)}".`}
        onDone={() => goOn('/webhooks', { replace: true })}
        look={{ color: 'red' }}
        confirm={{
          title: `Delete the webhook ${visible(name)}?`,
          about: 'Nothing is sent to it any more. What is waiting and the list of its deliveries are gone. This cannot be undone.',
        }}
      >
        Delete
      </ActionButton>
      {rotating && (
        <RotateDialog
          operation="POST /api/v1/webhooks/{id}/rotate"
          id={id}
          title={`Rotate the secret of ${visible(name)}`}
          about="It gets a new secret, which you see once. Until the old one ends, every delivery is signed with both, so that the receiver can change over at any moment."
          label="The old secret signs too for"
          failed="The secret was not rotated"
          onClose={() => setRotating(false)}
          onRotated={({ data }) => setSecret(data)}
        />
      )}
      {secret && <WebhookSecret made={secret} onClose={() => setSecret(undefined)} />}
    </>
  );
}
