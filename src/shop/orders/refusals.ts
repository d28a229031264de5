import { AppError, type FieldError, type ShortLine } from '../../lib/errors.ts';

// Why an order was not made, in the words of the answer.

export function keyReused(): AppError {
  const reason = 'was used for another body';
  return new AppError(
    'IDEMPOTENCY_KEY_REUSED',
    'This Idempotency-Key was used for another body in the last 7 days. Use a new key for another request.',
    {
      field: 'Idempotency-Key',
      reason,
      errors: [{ field: 'Idempotency-Key', reason }],
    },
  );
}

/** By which order, only those learn who may read it. */
export function externalIdTaken(by: string | undefined): AppError {
  const holder = by === undefined ? '' : `: ${by}`;
  return new AppError('CONFLICT', `There is an order with this external_id already${holder}.`, {
    field: 'external_id',
    reason: by === undefined ? 'is taken' : `is taken by ${by}`,
  });
}

/** Each line that there is too little for is named, with what all lines of its product want, and what there is. */
export function outOfStock(lines: ShortLine[]): AppError {
  const { message, errors } = outOfStockWords(lines);
  return new AppError('OUT_OF_STOCK', `${message} No order was made.`, { ...errors[0], errors, lines });
}

export function outOfStockWords(lines: readonly ShortLine[]): { message: string; errors: FieldError[] } {
  const errors = lines.map(
    ({ index, product_id, wanted, available }): FieldError => ({
      field: `items[${index}].quantity`,
      reason: `${wanted} of ${product_id} are wanted, ${available} are available`,
    }),
  );
  const products = [...new Set(lines.map(({ product_id }) => product_id))];
  const more = products.length > 1 ? ` and of ${products.length - 1} more` : '';
  return { message: `There is too little of ${products[0]}${more} in stock.`, errors };
}
