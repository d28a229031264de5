import { AppError } from '../../lib/errors.ts';

// Why an order was not made, in the words of the answer.

export function keyReused(): AppError {
  const reason = 'was used for another body';
  return new AppError(
    'IDEMPOTENCY_KEY_REUSED',
    'This Idempotency-Key was used for another body in the last 7 days. Use a new key for a new order.',
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
