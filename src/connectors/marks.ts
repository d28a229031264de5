import type { Field } from './contract.ts';

/** Where a target that marks rows which are gone, instead of removing them, says since when they are. */
export const DELETED_AT = '_deleted_at';

export const MARK: Field = { name: DELETED_AT, type: 'timestamptz', nullable: true };
