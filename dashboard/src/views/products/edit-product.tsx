import { Button, Group, Modal, NativeSelect, NumberInput, Pill, Stack, TagsInput, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useAction } from '../../api/queries.ts';
import type { Product } from '../../api/resources.ts';
import { CurlButton } from '../../parts/action/curl-button.tsx';
import { ErrorState } from '../../parts/page/error-state.tsx';
import { faultsByField, incomplete } from '../../parts/form/faults.ts';
import { useFirstFault } from '../../parts/form/first-fault.ts';
import { visible } from '../../parts/words/outside-text.tsx';
import { LOST_WORDS, useUnsaved } from '../../parts/form/unsaved.tsx';

/** Faults that are told beside their fields. */
const SHOWN: ReadonlySet<string> = new Set(['name', 'price', 'stock_quantity', 'sku', 'barcode', 'status', 'categories']);

const STATUSES = [
  { value: '', label: 'None' },
  { value: 'active', label: 'Active' },
  { value: 'draft', label: 'Draft' },
  { value: 'archived', label: 'Archived' },
];

/** Changes a product by hand. Only what was changed is sent, so that nothing is set back that came in meanwhile. */
export function EditProduct({ product, onClose }: { product: Product; onClose: () => void }) {
  const [name, setName] = useState(product.name);
  const [price, setPrice] = useState<number | string>(product.price);
  const [stock, setStock] = useState<number | string>(product.stock_quantity);
  const [categories, setCategories] = useState<string[]>(product.categories);
  const [sku, setSku] = useState(product.sku ?? '');
  const [barcode, setBarcode] = useState(product.barcode ?? '');
  const [status, setStatus] = useState<Product['status'] | ''>(product.status ?? '');
  // Tries to save with something missing.
  const [tries, setTries] = useState(0);
  const save = useAction('POST /api/v1/products/sync', {
    done: ({ data }) => (data.result === 'unchanged' ? 'Nothing was changed.' : 'The product is changed.'),
    onDone: () => {
      unsaved.release();
      onClose();
    },
    quiet: true,
  });
  const body = {
    product_id: product.product_id,
    ...(name !== product.name && { name }),
    ...(Number(price) !== product.price && { price: Number(price) }),
    ...(!product.track_stock && Number(stock) !== product.stock_quantity && { stock_quantity: Number(stock) }),
    ...(sku.trim() !== (product.sku ?? '') && { sku: sku.trim() || null }),
    ...(barcode.trim() !== (product.barcode ?? '') && { barcode: barcode.trim() || null }),
    ...(status !== (product.status ?? '') && { status: status || null }),
    ...(categories.join('\n') !== product.categories.join('\n') && { categories }),
  };
  const unsaved = useUnsaved(Object.keys(body).length > 1, LOST_WORDS);
  // A field that is empty is no 0.
  const missing = incomplete(
    Object.entries({ name: name.trim(), price, stock_quantity: stock }).flatMap(([field, value]) => (value === '' ? [field] : [])),
  );
  const faults = faultsByField(tries > 0 && missing ? missing : save.error);
  const faultOf = (field: string): string | undefined => [...faults].find(([path]) => path === field || path.startsWith(`${field}[`))?.[1];
  const form = useFirstFault<HTMLFormElement>(save.error ?? tries);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (missing) setTries(tries + 1);
    else save.mutate({ body });
  };
  const close = (): void => unsaved.leave(onClose);
  return (
    <Modal opened onClose={close} title="Edit the product" centered>
      <form onSubmit={submit} noValidate ref={form}>
        <Stack>
          <TextInput
            label="Name"
            withAsterisk
            maxLength={255}
            value={name}
            // A field shows its text as it is: what cannot be seen in it is said beside it.
            description={visible(name) === name ? undefined : `It holds characters that are not seen: ${visible(name)}`}
            error={faultOf('name')}
            data-autofocus
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
          <NumberInput
            label="Price"
            withAsterisk
            min={0}
            max={99_999_999.9999}
            decimalScale={4}
            hideControls
            value={price}
            error={faultOf('price')}
            onChange={setPrice}
          />
          {!product.track_stock && (
            <NumberInput
              label="In stock"
              withAsterisk
              min={0}
              allowDecimal={false}
              value={stock}
              error={faultOf('stock_quantity')}
              onChange={setStock}
            />
          )}
          <Group grow align="flex-start">
            <TextInput
              label="SKU"
              maxLength={100}
              value={sku}
              error={faultOf('sku')}
              onChange={({ currentTarget }) => setSku(currentTarget.value)}
            />
            <TextInput
              label="Barcode"
              maxLength={100}
              value={barcode}
              error={faultOf('barcode')}
              onChange={({ currentTarget }) => setBarcode(currentTarget.value)}
            />
          </Group>
          <NativeSelect
            label="Status"
            value={status}
            error={faultOf('status')}
            onChange={({ currentTarget }) => setStatus(currentTarget.value as typeof status)}
            data={STATUSES}
          />
          <TagsInput
            label="Categories"
            description="Enter puts one in."
            maxTags={100}
            value={categories}
            error={faultOf('categories')}
            onChange={setCategories}
            renderPill={({ value, onRemove }) => (
              <Pill
                withRemoveButton
                {...(onRemove && { onRemove })}
                removeButtonProps={{ 'aria-label': `Remove ${visible(String(value))}` }}
              >
                {visible(String(value))}
              </Pill>
            )}
          />
          <Text size="sm" c="dimmed">
            If another system sends this product too, its next message may set these values again.
          </Text>
          {save.error?.faults.every(({ field }) => !SHOWN.has(field.split('[')[0] ?? '')) && (
            <ErrorState error={save.error} title="The product was not changed" />
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isPending}>
              Save
            </Button>
            <CurlButton operation="POST /api/v1/products/sync" input={{ body }} />
          </Group>
        </Stack>
      </form>
      {unsaved.question}
    </Modal>
  );
}
