import { family } from './datasync/metrics/text-format.ts';
import type { Tracer } from './traces/tracer.ts';

/** The family of traces, in the text format of Prometheus; nothing where there are none. */
export function traceFamilies(tracer: Tracer | undefined): string {
  if (!tracer) return '';
  const results = Object.entries(tracer.figures).map(([result, value]) => ({ labels: { result }, value }));
  return family(
    'syncline_trace_spans_total',
    'counter',
    'Spans of this node by what became of them: sent to the collector, or dropped.',
    results,
  );
}
