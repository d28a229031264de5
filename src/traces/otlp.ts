import { type TracedSpan, SPAN_KINDS, type SpanAttributes } from './span.ts';

/** OTLP's own number for a span that failed. */
const FAILED = 2;
/** Of names and texts; collectors cut or refuse longer ones. */
const MOST_LETTERS = 256;

interface Attribute {
  key: string;
  value: { stringValue: string } | { boolValue: boolean } | { intValue: string } | { doubleValue: number };
}

/** Spans as OTLP has them in JSON: ids in hexadecimal, times and whole numbers as text. */
export function otlpOf(spans: readonly TracedSpan[], resource: SpanAttributes, version: string): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [{ scope: { name: 'syncline', version }, spans: spans.map(spanOf) }],
      },
    ],
  });
}

function spanOf({ traceId, spanId, parentSpanId, name, kind, start, end, attributes, error }: TracedSpan): object {
  return {
    traceId,
    spanId,
    ...(parentSpanId !== undefined && { parentSpanId }),
    name: name.slice(0, MOST_LETTERS).toWellFormed(),
    kind: SPAN_KINDS[kind],
    startTimeUnixNano: nanoseconds(start),
    endTimeUnixNano: nanoseconds(Math.max(start, end)),
    attributes: attributesOf(attributes),
    status: error === undefined ? {} : { code: FAILED, message: error.slice(0, MOST_LETTERS).toWellFormed() },
  };
}

/** A double holds microseconds of today, and no nanoseconds. */
function nanoseconds(milliseconds: number): string {
  return `${Math.round(milliseconds * 1000)}000`;
}

function attributesOf(attributes: SpanAttributes): Attribute[] {
  return Object.entries(attributes).flatMap(([key, value]) => (value === undefined ? [] : [{ key, value: valueOf(value) }]));
}

function valueOf(value: string | number | boolean): Attribute['value'] {
  if (typeof value === 'string') return { stringValue: value.slice(0, MOST_LETTERS).toWellFormed() };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
