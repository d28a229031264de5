import { Button, Group, SimpleGrid, Stack, TagsInput, Text, Textarea, TextInput } from '@mantine/core';
import { CODE_STYLES } from '../../../parts/form/code-styles.ts';
import { useState } from 'react';
import { useAction } from '../../../api/queries.ts';
import type { Order } from '../../../api/resources.ts';
import { CurlButton } from '../../../parts/action/curl-button.tsx';
import { LOST_WORDS, useUnsaved } from '../../../parts/form/unsaved.tsx';
import { OutdatedNote } from '../../../parts/form/outdated-note.tsx';
import { ErrorState } from '../../../parts/page/error-state.tsx';
import { SideDrawer } from '../../../parts/page/side-drawer.tsx';
import { ChangeLines } from './change-lines.tsx';
import { Differences } from './differences.tsx';
import {
  ADDRESS_FIELDS,
  changedSince,
  CUSTOMER_FIELDS,
  differencesOf,
  linesFault,
  metadataFault,
  formOf,
  linesFixed,
  type OrderForm,
  patchOf,
} from './order-form.ts';

interface ChangeDrawerProps {
  /** The order as it is now. */
  order: Order;
  refetch: () => unknown;
  onClose: () => void;
}

const LABELS: Readonly<Record<string, string>> = {
  name: 'Name',
  street: 'Street',
  zip: 'Postal code',
  city: 'City',
  state: 'State',
  country: 'Country',
  phone: 'Phone',
  email: 'E-mail',
  company: 'Company',
  tax_id: 'Tax id',
};

/** Changes what an order says. It shows what will be another, and saves it only if nobody else has changed the order meanwhile. */
export function ChangeDrawer({ order, refetch, onClose }: ChangeDrawerProps) {
  // What is entered is compared with the order as it was when this was opened: only what was touched is sent.
  const [base] = useState(order);
  const [version, setVersion] = useState(order.version);
  const [form, setForm] = useState(() => formOf(order));
  const differences = differencesOf(base, form);
  const unsaved = useUnsaved(differences.length > 0, LOST_WORDS);
  const wrongMetadata = metadataFault(base, form);
  const wrongLines = linesFault(form);
  const isWrong = wrongMetadata !== undefined || wrongLines !== undefined;
  const fixed = linesFixed(base);
  const input = { params: { id: order.id }, body: { ...patchOf(base, form), expected_version: version } };
  const save = useAction('PATCH /api/v1/orders/{id}', {
    done: () => 'The order is changed.',
    onDone: () => {
      unsaved.release();
      onClose();
    },
    quiet: true,
  });
  const isOutdated = order.version !== version && !save.isPending;
  const others = changedSince(order, version);
  const isBoth = differences.some(({ member }) => others.includes(member));
  const close = (): void => unsaved.leave(onClose);
  const set = (change: Partial<OrderForm>): void => setForm((old) => ({ ...old, ...change }));
  const texts = (member: 'shipping_address' | 'billing_address' | 'customer', title: string, fields: readonly string[]) => (
    <Stack component="fieldset" gap="xs" m={0} p={0} style={{ border: 0 }}>
      <Text component="legend" fw={600} size="sm" p={0} mb={4}>
        {title}
      </Text>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs">
        {fields.map((field) => (
          <TextInput
            key={field}
            label={LABELS[field]}
            maxLength={255}
            value={(form[member] as Record<string, string>)[field] ?? ''}
            onChange={({ currentTarget: { value } }) => setForm((old) => ({ ...old, [member]: { ...old[member], [field]: value } }))}
          />
        ))}
      </SimpleGrid>
    </Stack>
  );
  return (
    <SideDrawer title="Change the order" size={640} onClose={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (differences.length > 0 && !isWrong) save.mutate(input, { onError: () => void refetch() });
        }}
      >
        <Stack>
          {texts('shipping_address', 'Shipping address', ADDRESS_FIELDS)}
          {texts('billing_address', 'Billing address', ADDRESS_FIELDS)}
          {texts('customer', 'Customer', CUSTOMER_FIELDS)}
          <Textarea
            label="Note"
            maxLength={5000}
            autosize
            minRows={2}
            value={form.note}
            onChange={({ currentTarget }) => set({ note: currentTarget.value })}
          />
          <TagsInput label="Tags" description="Enter ends a tag." maxTags={100} value={form.tags} onChange={(tags) => set({ tags })} />
          <Textarea
            label="Metadata"
            description="A JSON object of yours."
            autosize
            minRows={2}
            maxRows={12}
            styles={CODE_STYLES}
            value={form.metadata}
            error={wrongMetadata}
            onChange={({ currentTarget }) => set({ metadata: currentTarget.value })}
          />
          <ChangeLines lines={form.lines} fixed={fixed} onChange={(lines) => set({ lines })} />
          {wrongLines !== undefined && (
            <Text size="sm" c="red" role="alert">
              {wrongLines}
            </Text>
          )}
          <Differences differences={differences} />
          {isOutdated && (
            <OutdatedNote what="order">
              Meanwhile this order was changed{others.length > 0 && `: ${others.join(', ').replaceAll('_', ' ')}`}. It is at version{' '}
              {order.version} now, and you began with version {version}. Nothing of yours was saved.{' '}
              {isBoth
                ? 'Some of it is what you want to change as well: close this, look at it again, and decide anew.'
                : 'It is nothing that you want to change: yours can be saved as well.'}
            </OutdatedNote>
          )}
          {save.error && !isOutdated && <ErrorState error={save.error} title="The order was not changed" />}
          <Group justify="flex-end" gap={6}>
            <Button variant="default" onClick={close}>
              {isOutdated ? 'Look at it again' : 'Back'}
            </Button>
            {isOutdated && !isBoth && (
              <Button variant="default" onClick={() => setVersion(order.version)}>
                Go on with version {order.version}
              </Button>
            )}
            {!isOutdated && (
              <>
                <Button type="submit" loading={save.isPending} disabled={differences.length === 0 || isWrong}>
                  Save the changes
                </Button>
                <CurlButton operation="PATCH /api/v1/orders/{id}" input={input} />
              </>
            )}
          </Group>
        </Stack>
      </form>
      {unsaved.question}
    </SideDrawer>
  );
}
