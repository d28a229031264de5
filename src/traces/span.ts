import { contextBelow, readTraceparent, type Sampler, type TraceContext, traceparentOf } from './context.ts';

/** What it is: work within, an answer to a request, a request to others. As OTLP numbers them. */
export const SPAN_KINDS = { internal: 1, server: 2, client: 3 } as const;
type SpanKind = keyof typeof SPAN_KINDS;

/** Names, figures and states. Never rows, secrets, or what an error says, which may quote either. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** Something that has happened, as plain data: it travels from threads. */
export interface TracedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: SpanKind;
  /** Milliseconds since 1970, with fractions. */
  readonly start: number;
  readonly end: number;
  readonly attributes: SpanAttributes;
  /** Why it failed, as a code; undefined when it did not. */
  readonly error: string | undefined;
}

interface SpanEnd {
  name?: string;
  attributes: SpanAttributes;
  error?: string | undefined;
}

/** Something that goes on. */
export interface OpenSpan {
  /** To be given to others who work for it. */
  readonly traceparent: string;
  readonly isSampled: boolean;
  /** Tells of something within it that is over already. */
  add(child: SpanEnd & { name: string; start: number; end: number }): void;
  end(how: SpanEnd): void;
}

export interface Spans {
  /** `traceparent` is that of the one who asked for it. */
  begin(name: string, kind: SpanKind, traceparent?: unknown): OpenSpan;
}

/** Milliseconds since 1970 by a clock that nobody turns back meanwhile, the same in all threads. */
export function spanTime(): number {
  return performance.timeOrigin + performance.now();
}

/** Makes spans of the traces that are sampled, and hands over those that have ended. */
export function createSpans(sampler: Sampler, ended: (span: TracedSpan) => void): Spans {
  const spanOf = (context: TraceContext, parentSpanId: string | undefined, kind: SpanKind, times: [number, number], how: SpanEnd): void => {
    const { name = '', attributes, error } = how;
    const { traceId, spanId } = context;
    ended({ traceId, spanId, parentSpanId, name, kind, start: times[0], end: times[1], attributes, error });
  };
  return {
    begin: (name, kind, traceparent) => {
      const parent = readTraceparent(traceparent);
      const context = contextBelow(parent, sampler);
      const start = context.isSampled ? spanTime() : 0;
      return {
        traceparent: traceparentOf(context),
        isSampled: context.isSampled,
        add: (child) => {
          if (!context.isSampled) return;
          const below = contextBelow(context, () => true);
          spanOf(below, context.spanId, 'internal', [child.start, child.end], child);
        },
        end: (how) => {
          if (context.isSampled) spanOf(context, parent?.spanId, kind, [start, spanTime()], { name, ...how });
        },
      };
    },
  };
}
