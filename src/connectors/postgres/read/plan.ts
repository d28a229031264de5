import type { ReadRequest } from '../../contract.ts';
import type { Relation } from '../catalogue/relations.ts';
import { columnOf, tuple, type Trial } from './conditions.ts';
import type { Link } from '../wire/link.ts';
import { quoteName } from '../catalogue/names.ts';
import { positionInvalid } from './positions.ts';

/** What pages are read of, and how one goes on behind another. */
export interface PostgresReadPlan {
  conditions: string[];
  /** The columns that order the rows and tell them apart; empty when nothing does, and all is one page. */
  order: string[];
  /** Behind the row with these values of `order`. */
  last: string[] | null;
  /** Behind so many rows, where there is no order. */
  rows: number;
  positionOf(last: string[] | null, rows: number): string;
  /** The position before the first row, where every reader of a part has to know something. */
  start?: string;
  /** The position when everything was read. */
  end?: string;
}

export interface OpenRead {
  link: Link;
  relation: Relation;
  request: ReadRequest;
}

/** The columns of a unique index that the key holds: only by them can pages follow each other quickly and without gaps. */
export function orderOf(relation: Relation, key: readonly string[]): string[] {
  for (const field of key) columnOf(relation, field);
  return relation.indexes.find((index) => index.isUnique && index.columns.every((name) => key.includes(name)))?.columns ?? [];
}

export function positionTrials(relation: Relation, order: readonly string[], last: readonly string[] | null): Trial[] {
  return (last ?? []).map((value, i) => ({ column: columnOf(relation, order[i] as string), value, refuse: positionInvalid }));
}

/** The end of a range, as a condition. */
export function upTo(relation: Relation, order: readonly string[], last: readonly string[] | null): string[] {
  return last ? [`(${order.map(quoteName).join(', ')}) <= ${tuple(relation, order, last)}`] : [];
}
