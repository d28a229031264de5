import { Button } from '@mantine/core';
import { useMemo, useState } from 'react';
import { usePages } from '../../api/queries.ts';
import type { Key } from '../../api/resources.ts';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { DataTable } from '../../parts/table/data-table.tsx';
import { EmptyState } from '../../parts/page/empty-state.tsx';
import { PageHeader } from '../../parts/page/page-header.tsx';
import { Section } from '../../parts/page/section.tsx';
import { useMe } from '../../shell/me.tsx';
import { CreateKey } from './create-key.tsx';
import { keyColumns } from './key-columns.tsx';
import { RotateKey } from './rotate-key.tsx';
import { SecretDialog, type ShownSecret } from './secret-dialog.tsx';

const PAGE = 50;

/** Who may use the interface, and for what. */
export function Keys() {
  const me = useMe();
  const [creating, setCreating] = useState(false);
  const [rotating, setRotating] = useState<Key>();
  const [secret, setSecret] = useState<ShownSecret>();
  const columns = useMemo(() => keyColumns(me.id, setRotating), [me.id]);
  const query = { limit: PAGE };
  const pages = usePages('GET /api/v1/keys', { query });
  return (
    <>
      <PageHeader
        title="Keys"
        about="Who may use the API, and for what. A key is shown once, when it is created."
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
            <EmptyState
              title="No key has been created yet."
              actions={
                <Button variant="default" onClick={() => setCreating(true)}>
                  Create the first key
                </Button>
              }
            >
              You use the key of SYNCLINE_ADMIN_KEY or a token of your identity provider. Create a key for each system, with no more scopes
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
