import { AppError, invalidParam } from './errors.ts';
import { Type } from './schema.ts';

const MAX_LENGTH = 255;
const PATTERN = '^[\\x20-\\x7e]+$';
const PRINTABLE = new RegExp(PATTERN);

/** What a header `Idempotency-Key` has to be. */
export const IdempotencyKey = Type.String({ minLength: 1, maxLength: MAX_LENGTH, pattern: PATTERN, examples: ['checkout-4711'] });

/** Throws INVALID_PARAMS for a header `Idempotency-Key` that cannot be one. */
export function demandIdempotencyKey(key: string): void {
  if (key.length < 1 || key.length > MAX_LENGTH || !PRINTABLE.test(key)) {
    throw invalidParam('Idempotency-Key', `must be 1 to ${MAX_LENGTH} printable ASCII characters`);
  }
}

/** `what` is what a new key is for. */
export function keyReused(what: string): AppError {
  const reason = 'was used for another body';
  const message = `This Idempotency-Key was used for another body. Use a new key for a new ${what}.`;
  return new AppError('IDEMPOTENCY_KEY_REUSED', message, {
    field: 'Idempotency-Key',
    reason,
    errors: [{ field: 'Idempotency-Key', reason }],
  });
}
