import type { Logger } from '../lib/log.ts';
import { samplerOf } from './context.ts';
import { createExporter, type Exporter } from './exporter.ts';
import type { SamplerSettings, TraceSettings } from './settings.ts';
import { createSpans, type TracedSpan, type Spans } from './span.ts';

export interface Tracer extends Spans {
  readonly sampler: SamplerSettings;
  readonly figures: Exporter['figures'];
  /** Takes spans that have ended elsewhere; `dropped` did not fit there. */
  take(spans: readonly TracedSpan[], dropped: number): void;
  close(): Promise<void>;
}

/** Traces of this node. It is loaded only where they are wanted. */
export function createTracer(settings: TraceSettings, { node, version, log }: { node: string; version: string; log: Logger }): Tracer {
  const { url, headers, serviceName, sampler } = settings;
  const resource = { 'service.name': serviceName, 'service.version': version, 'service.instance.id': node };
  const exporter = createExporter({ url, headers, resource, version, log });
  return {
    ...createSpans(samplerOf(sampler), (span) => exporter.add(span)),
    sampler,
    figures: exporter.figures,
    take: (spans, dropped) => {
      for (const span of spans) exporter.add(span);
      exporter.figures.dropped += dropped;
    },
    close: () => exporter.close(),
  };
}
