import { Button, Group, Modal, NumberInput, Pill, Stack, TagsInput, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useAction } from '../../api/queries.ts';
import type { Product } from '../../api/resources.ts';
import { CurlButton } from '../../parts/curl-button.tsx';
import { ErrorState } from '../../parts/error-state.tsx';
import { visible } from '../../parts/outside-text.tsx';

/** Changes a product by hand. Only what was changed is sent, so that nothing is set back that came in meanwhile. */
export function EditProduct({ product, onClose }: { product: Product; onClose: () => void }) {
  const [name, setName] = useState(product.name);
  const [price, setPrice] = useState<number | string>(product.price);
  const [stock, setStock] = useState<number | string>(product.stock_quantity);
  const [categories, setCategories] = useState<string[]>(product.categories);
  const save = useAction('POST /api/v1/products/sync', {
    done: ({ data }) => (data.result === 'unchanged' ? 'Nothing was changed.' : 'The product is changed.'),
    onDone: onClose,
    quiet: true,
  });
  const body = {
    product_id: product.product_id,
    ...(name !== product.name && { name }),
    ...(Number(price) !== product.price && { price: Number(price) }),
    ...(Number(stock) !== product.stock_quantity && { stock_quantity: Number(stock) }),
    ...(categories.join('\n') !== product.categories.join('\n') && { categories }),
  };
  const faultOf = (field: string): string | undefined =>
    save.error?.faults.find((fault) => fault.field === field || fault.field.startsWith(`${field}[`))?.reason;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate({ body });
  };
  return (
    <Modal opened onClose={onClose} title="Edit the product" centered>
      <form onSubmit={submit} noValidate>
        <Stack>
          <TextInput
            label="Name"
            maxLength={255}
            value={name}
            // A field shows its text as it is: what nobody sees in it is said beside it.
            description={visible(name) === name ? undefined : `It holds characters that are not seen: ${visible(name)}`}
            error={faultOf('name')}
            data-autofocus
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
          <NumberInput
            label="Price"
            min={0}
            max={99_999_999.9999}
            decimalScale={4}
            hideControls
            value={price}
            error={faultOf('price')}
            onChange={setPrice}
          />
          <NumberInput label="In stock" min={0} allowDecimal={false} value={stock} error={faultOf('stock_quantity')} onChange={setStock} />
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
          {save.error && save.error.faults.length === 0 && <ErrorState error={save.error} title="The product was not changed" />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isPending}>
              Save
            </Button>
            <CurlButton operation="POST /api/v1/products/sync" input={{ body }} />
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
