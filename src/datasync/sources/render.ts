import type { Field } from '../../connectors/contract.ts';
import type { SourceRow } from './queries.ts';

/** A source as every caller may see it: the answer of the API and the data of its events. */
export function renderSource({ id, name, type, config, status, status_message, checked_at, created_at, updated_at }: SourceRow) {
  return { id, name, type, config, status, status_message, checked_at, created_at, updated_at };
}

/** The same as JSON text, for events. */
export function sourceJson(row: SourceRow): string {
  const { config, ...rest } = renderSource(row);
  return `${JSON.stringify(rest).slice(0, -1)},"config":${config}}`;
}

export function shownField({ name, type, nullable, native }: Field) {
  return { name, type, nullable, native: native ?? null };
}
