import type { Field } from '../connectors/contract.ts';

/** What a condition may look at of an event, in the order in which the values are given to it. Conditions are compiled and computed in threads only. */
export const CONDITION_FIELDS: readonly Field[] = [
  { name: 'type', type: 'text', nullable: false },
  { name: 'object_id', type: 'text', nullable: false },
  { name: 'data', type: 'json', nullable: false },
];
