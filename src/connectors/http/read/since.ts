import type { HttpStreamConfig } from '../config/config.ts';
import { type CursorMark, sinceValue } from './mark.ts';
import type { RequestParameter } from './paging.ts';
import type { Cursor, HttpReadPlan } from './plan.ts';

/** The parameter that asks for what is new. */
export function sinceParameter({ walked, cursor }: HttpReadPlan, since: CursorMark | undefined): RequestParameter | undefined {
  const start = cursor?.incremental.start;
  const value = cursor && (since ? sinceValue(since, cursor.type, cursor.incremental) : start);
  return cursor && value !== undefined ? [cursor.incremental.param, sentValue(walked, cursor, value)] : undefined;
}

/** A variable of GraphQL has a type: what is a number has to be sent as one. */
function sentValue({ graphql }: HttpStreamConfig, { type, incremental }: Cursor, value: string): string | number {
  const isNumber = graphql !== undefined && (type === 'int64' || incremental.format.startsWith('epoch'));
  return isNumber && Number.isSafeInteger(Number(value)) ? Number(value) : value;
}
