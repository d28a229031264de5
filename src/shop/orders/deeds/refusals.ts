import { AppError, type ErrorCode, type FieldError, invalidParams, type ShortLine } from '../../../lib/errors.ts';

/** Why something was not done with an order. Where a reason tells of the order, `kept` says it to those who may not read orders. */
export interface OrderRefusal {
  code: Extract<ErrorCode, 'INVALID_PARAMS' | 'CONFLICT' | 'INVALID_TRANSITION' | 'OUT_OF_STOCK'>;
  message: string;
  faults: (FieldError & { kept?: string })[];
  /** Of OUT_OF_STOCK. */
  lines?: ShortLine[];
}

/** Thrown while a deed is prepared; the command answers it, as nothing was written by then. */
export class OrderRefused extends Error {
  readonly refusal: OrderRefusal;

  constructor(code: OrderRefusal['code'], message: string, faults: OrderRefusal['faults'], lines?: ShortLine[]) {
    super(message);
    this.refusal = { code, message, faults, ...(lines && { lines }) };
  }
}

/** As the caller is answered. */
export function refusalError({ code, message, faults, lines }: OrderRefusal, mayRead: boolean): AppError {
  const errors = faults.map(({ field, reason, kept }): FieldError => ({ field, reason: mayRead ? reason : (kept ?? reason) }));
  if (code === 'INVALID_PARAMS') return invalidParams(errors);
  return new AppError(code, message, { ...errors[0], errors, ...(lines && { lines }) });
}

export function versionConflict(version: number): AppError {
  return new AppError('VERSION_CONFLICT', `The order is at version ${version} by now. Read it again and decide anew.`, {
    field: 'expected_version',
    reason: `the order is at version ${version}`,
  });
}
