import { randomBytes } from 'node:crypto';
import type { SamplerSettings } from './settings.ts';

/** Where a span stands: which trace it belongs to, and whether that is recorded. */
export interface TraceContext {
  /** 32 and 16 hexadecimal digits. */
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

const FORM = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/** Reads the header `traceparent` (W3C Trace Context); undefined when there is none, or what it says cannot be understood. */
export function readTraceparent(text: unknown): TraceContext | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] = typeof text === 'string' ? (FORM.exec(text) ?? []) : [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export function traceparentOf({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

/** Decides whether a trace is recorded that begins here, or goes on from a caller. */
export type Sampler = (traceId: string, parent: TraceContext | undefined) => boolean;

/** The last 14 digits of the id of a trace are random: all who see it decide alike. */
const RANDOM_DIGITS = 14;

export function samplerOf({ name, ratio }: SamplerSettings): Sampler {
  const [, own = name] = /^parentbased_(.*)$/.exec(name) ?? [];
  const share = own === 'always_on' ? 1 : own === 'always_off' ? 0 : ratio;
  const takes = (traceId: string): boolean => Number.parseInt(traceId.slice(-RANDOM_DIGITS), 16) / 16 ** RANDOM_DIGITS < share;
  if (own === name) return takes;
  return (traceId, parent) => (parent ? parent.isSampled : takes(traceId));
}

/** A place in the trace of a parent, or in a new one. */
export function contextBelow(parent: TraceContext | undefined, sampler: Sampler): TraceContext {
  const traceId = parent?.traceId ?? randomBytes(16).toString('hex');
  return { traceId, spanId: randomBytes(8).toString('hex'), isSampled: sampler(traceId, parent) };
}
