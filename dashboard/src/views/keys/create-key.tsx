import { Button, Checkbox, Group, Modal, NativeSelect, NumberInput, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useAction } from '../../api/queries.ts';
import type { Scope } from '../../api/resources.ts';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { ErrorState } from '../../parts/page/error-state.tsx';
import { faultsByField, incomplete } from '../../parts/form/faults.ts';
import { useFirstFault } from '../../parts/form/first-fault.ts';
import { LOST_WORDS, useUnsaved } from '../../parts/form/unsaved.tsx';
import { EXPIRIES, type Expiry, expiryTime } from './expiry.ts';
import { SCOPE_WORDS, SCOPES } from './scope-words.ts';
import type { ShownSecret } from './secret-dialog.tsx';

interface CreateKeyProps {
  onClose: () => void;
  onCreated: (secret: ShownSecret) => void;
}

/** Faults of these are said beside them. */
const SHOWN: ReadonlySet<string> = new Set(['name', 'scopes', 'expires_at', 'rate_limit']);

/** Makes a key: what for, what it may do, and until when. */
export function CreateKey({ onClose, onCreated }: CreateKeyProps) {
  const [openedAt] = useState(() => Date.now());
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<Scope[]>([]);
  const [expiry, setExpiry] = useState<Expiry>('90');
  const [day, setDay] = useState('');
  const [rateLimit, setRateLimit] = useState<number | string>('');
  // Tries to create one with something missing.
  const [tries, setTries] = useState(0);
  const unsaved = useUnsaved(name !== '' || scopes.length > 0, LOST_WORDS);
  const create = useAction('POST /api/v1/keys', {
    onDone: ({ data }) => {
      unsaved.release();
      onClose();
      onCreated(data);
    },
    quiet: true,
  });
  const expiresAt = expiryTime(expiry, day, openedAt);
  const body = {
    name: name.trim(),
    scopes: scopes.includes('admin') ? (['admin'] as Scope[]) : scopes,
    ...(expiresAt !== undefined && { expires_at: expiresAt }),
    ...(rateLimit !== '' && { rate_limit: Number(rateLimit) }),
  };
  const missing = incomplete([
    ...(body.name === '' ? ['name'] : []),
    ...(scopes.length === 0 ? ['scopes'] : []),
    ...(expiry === 'day' && day === '' ? ['expires_at'] : []),
  ]);
  const faults = faultsByField(tries > 0 && missing ? missing : create.error);
  const form = useFirstFault<HTMLFormElement>(create.error ?? tries);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (missing) setTries(tries + 1);
    else create.mutate({ body });
  };
  const close = (): void => unsaved.leave(onClose);
  return (
    <Modal opened onClose={close} title="Create a key" centered size="lg">
      <form onSubmit={submit} noValidate ref={form}>
        <Stack>
          <TextInput
            label="Name"
            description="What the key is for: one for each system that uses the API."
            placeholder="web shop"
            maxLength={100}
            data-autofocus
            required
            value={name}
            error={faults.get('name')}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
          <Checkbox.Group
            label="Scopes"
            description="Grant no more than it needs."
            required
            value={scopes}
            error={faults.get('scopes')}
            data-fault={faults.get('scopes')}
            onChange={setScopes}
          >
            <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs" verticalSpacing={6} mt={6}>
              {SCOPES.map((scope) => (
                <Checkbox
                  key={scope}
                  value={scope}
                  label={SCOPE_WORDS[scope]}
                  description={scope}
                  disabled={scope !== 'admin' && scopes.includes('admin')}
                />
              ))}
            </SimpleGrid>
          </Checkbox.Group>
          <Group grow align="flex-start">
            <NativeSelect
              label="Expires"
              data={EXPIRIES.map((choice) => ({ ...choice }))}
              value={expiry}
              error={expiry === 'day' ? undefined : faults.get('expires_at')}
              onChange={({ currentTarget }) => setExpiry(currentTarget.value as Expiry)}
            />
            {expiry === 'day' && (
              <TextInput
                type="date"
                label="Day"
                value={day}
                error={faults.get('expires_at')}
                onChange={({ currentTarget }) => setDay(currentTarget.value)}
              />
            )}
          </Group>
          <NumberInput
            label="Rate limit (requests per second)"
            description="On each node. Empty: as the service is configured. 0: no limit."
            min={0}
            max={1_000_000}
            allowDecimal={false}
            value={rateLimit}
            error={faults.get('rate_limit')}
            onChange={setRateLimit}
          />
          {create.error && create.error.faults.every(({ field }) => !SHOWN.has(field)) && (
            <ErrorState error={create.error} title="The key was not created" />
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={create.isPending}>
              Create
            </Button>
            <CurlButton operation="POST /api/v1/keys" input={{ body }} />
          </Group>
        </Stack>
      </form>
      {unsaved.question}
    </Modal>
  );
}
