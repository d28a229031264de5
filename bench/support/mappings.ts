import { MIXED_FIELDS } from './mixed-rows.ts';

const RENAMED: Record<string, string> = { customer: 'name', email: 'mail', born: 'birthday' };
const CAST: Record<string, string> = { amount: 'text', quantity: 'decimal' };

/** Fields of the mixed rows as a stream maps them: three renamed, two cast. */
export const RENAMED_AND_CAST = MIXED_FIELDS.map(({ name }) => ({
  from: name,
  to: RENAMED[name] ?? name,
  ...(CAST[name] && { type: CAST[name] }),
}));

/** All of them as they are, but for the last, which is computed. */
export const WITH_EXPRESSION = [
  ...MIXED_FIELDS.slice(0, -1).map(({ name }) => ({ from: name, to: name })),
  { to: 'note', expression: 'customer + ": " + string(quantity)' },
];
