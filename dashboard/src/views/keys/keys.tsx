import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { usePages } from '../../api/queries.ts';
import type { Key } from '../../api/resources.ts';
import { CurlButton } from '../../parts/curl-button.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { OutsideText } from '../../parts/outside-text.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { RelativeTime } from '../../parts/relative-time.tsx';
import { Section } from '../../parts/section.tsx';
import { StatusBadge } from '../../parts/status.tsx';
import { useMe } from '../../shell/me.tsx';
import { CreateKey } from './create-key.tsx';
import { RevokeKey } from './revoke-key.tsx';
import { RotateKey } from './rotate-key.tsx';
import { SecretDialog, type ShownSecret } from './secret-dialog.tsx';

const PAGE = 50;

/** Who may use the interface, and for what. */
export function Keys() {
  const me = useMe();
  const [creating, setCreating] = useState(false);
  const [rotating, setRotating] = useState<Key>();
  const [secret, setSecret] = useState<ShownSecret>();
  const query = { limit: PAGE };
  const pages = usePages('GET /api/v1/keys', { query });
  const columns: readonly Column<Key>[] = [
    {
      header: 'Name',
      cell: ({ id, name }) => (
        <>
          <OutsideText>{name}</OutsideText>
          {id === me.id && (
            <Text size="xs" c="dimmed">
              the key you are using
            </Text>
          )}
        </>
      ),
      width: 160,
    },
    { header: 'Status', cell: ({ status }) => <StatusBadge status={status} />, width: 110 },
    { header: 'May', cell: ({ scopes }) => (scopes.includes('admin') ? 'everything (admin)' : scopes.join(', ')) },
    {
      header: 'Last used',
      cell: ({ last_used_at }) => (last_used_at === null ? 'never' : <RelativeTime time={last_used_at} />),
      width: 130,
    },
    { header: 'Expires', cell: ({ expires_at }) => (expires_at === null ? 'never' : <RelativeTime time={expires_at} />), width: 120 },
    { header: 'Created', cell: ({ created_at }) => <RelativeTime time={created_at} />, width: 120 },
    {
      header: 'Actions',
      cell: (key) =>
        key.status === 'active' && (
          <Group gap="xs" wrap="nowrap">
            <Button variant="default" size="xs" onClick={() => setRotating(key)}>
              Rotate
            </Button>
            <RevokeKey apiKey={key} isOwn={key.id === me.id} />
          </Group>
        ),
      width: 220,
    },
  ];
  return (
    <>
      <PageHeader
        title="Keys"
        about="Who may use the interface, and for what. A key is shown once, when it is made."
        actions={
          <>
            <Button onClick={() => setCreating(true)}>Create a key</Button>
            <CurlButton operation="GET /api/v1/keys" input={{ query }} />
          </>
        }
      />
      <Section title="All keys" flush>
        <DataTable
          label="Keys"
          columns={columns}
          rows={pages.rows}
          rowKey={({ id }) => id}
          error={pages.error}
          refetch={pages.refetch}
          paging={{ ...pages, size: PAGE }}
          empty={
            <EmptyState title="No key has been made yet.">
              You use the key of SYNCLINE_ADMIN_KEY or a token of your identity provider. Make a key for each system, with no more scopes
              than it needs.
            </EmptyState>
          }
        />
      </Section>
      {creating && <CreateKey onClose={() => setCreating(false)} onCreated={setSecret} />}
      {rotating && (
        <RotateKey apiKey={rotating} isOwn={rotating.id === me.id} onClose={() => setRotating(undefined)} onRotated={setSecret} />
      )}
      {secret && <SecretDialog secret={secret} onClose={() => setSecret(undefined)} />}
    </>
  );
}
