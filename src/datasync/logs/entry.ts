import { isoTime } from '../../lib/clock.ts';
import { maskMember, maskText } from './mask.ts';

export const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LEVELS)[number];

/** What is to be written to the log. */
export interface LogEntry {
  level: LogLevel;
  syncId?: string;
  runId?: string;
  stream?: string;
  sourceId?: string;
  message: string;
  data?: Readonly<Record<string, unknown>>;
  /** The rows of the shop that it may quote. */
  shop?: string;
}

/** An entry in the shape in which it is stored: bounded, without secrets. */
export interface NewLog {
  time: string;
  level: LogLevel;
  sync_id: string | null;
  run_id: string | null;
  source_id: string | null;
  stream: string | null;
  message: string;
  /** JSON text. */
  data: string | null;
  /** The rows of the shop that it may quote; null for none. */
  shop: string | null;
}

const MOST_MESSAGE = 4096;
const MOST_DATA = 16_384;
const MOST_STREAM = 1024;
const MOST_NAMES = 20;

/** This level and those above it. */
export function levelsFrom(level: LogLevel): readonly LogLevel[] {
  return LEVELS.slice(LEVELS.indexOf(level));
}

export function toNewLog(entry: LogEntry, now: number): NewLog {
  return {
    time: isoTime(now),
    level: entry.level,
    sync_id: entry.syncId ?? null,
    run_id: entry.runId ?? null,
    source_id: entry.sourceId ?? null,
    stream: entry.stream === undefined ? null : cut(clean(entry.stream), MOST_STREAM),
    message: cut(maskText(clean(entry.message)), MOST_MESSAGE),
    data: entry.data === undefined ? null : dataText(entry.data),
    shop: entry.shop || null,
  };
}

/** Neither engine stores halves of surrogate pairs, and PostgreSQL no NUL. */
function clean(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

/** At most so many bytes, whole characters. */
function cut(text: string, most: number): string {
  if (text.length * 3 <= most || Buffer.byteLength(text) <= most) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(most - 3));
  return `${text.slice(0, read)}…`;
}

/** The members that fit, in their order; the names of the others are told in `left_out`. */
function dataText(data: Readonly<Record<string, unknown>>): string {
  const whole = jsonOf('', data);
  if (whole !== undefined && Buffer.byteLength(whole) <= MOST_DATA) return whole;
  const kept: string[] = [];
  const leftOut: string[] = [];
  let room = MOST_DATA / 2;
  for (const [name, value] of Object.entries(data)) {
    const json = jsonOf(name, value);
    const size = json === undefined ? Number.POSITIVE_INFINITY : Buffer.byteLength(json) + name.length * 6;
    if (size > room) leftOut.push(cut(name, 100));
    else {
      room -= size;
      kept.push(`${JSON.stringify(name)}:${json}`);
    }
  }
  const names = leftOut.length > MOST_NAMES ? [...leftOut.slice(0, MOST_NAMES), `and ${leftOut.length - MOST_NAMES} more`] : leftOut;
  return `{${[...kept, `"left_out":${JSON.stringify(names)}`].join(',')}}`;
}

/** Undefined for what cannot be written as JSON, such as a circle. */
function jsonOf(name: string, value: unknown): string | undefined {
  try {
    return JSON.stringify(maskMember(name, value), maskMember);
  } catch {
    return undefined;
  }
}
