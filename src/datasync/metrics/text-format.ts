// The Prometheus text format 0.0.4: https://prometheus.io/docs/instrumenting/exposition_formats/

export const TEXT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export type Labels = Readonly<Record<string, string>>;

export interface MetricSample {
  labels?: Labels;
  value: number;
}

/** A histogram's sample: how many values there were up to each bound, and in all. */
export interface HistogramSample {
  labels: Labels;
  /** Not cumulated: how many lie between the bound before and this one; the last are those above all bounds. */
  counts: ArrayLike<number>;
  sum: number;
}

/** A family of samples with its HELP and TYPE lines; nothing when there are no samples. */
export function family(name: string, type: 'gauge' | 'counter' | 'summary', help: string, samples: readonly MetricSample[]): string {
  if (samples.length === 0) return '';
  return head(name, type, help) + samples.map(({ labels, value }) => line(name, labels, value)).join('');
}

export function histogram(name: string, help: string, bounds: readonly number[], samples: readonly HistogramSample[]): string {
  if (samples.length === 0) return '';
  const lines = samples.map(({ labels, counts, sum }) => {
    let text = '';
    let n = 0;
    for (let place = 0; place <= bounds.length; place++) {
      n += counts[place] ?? 0;
      const le = place < bounds.length ? numberText(bounds[place] as number) : '+Inf';
      text += line(`${name}_bucket`, { ...labels, le }, n);
    }
    return text + line(`${name}_sum`, labels, sum) + line(`${name}_count`, labels, n);
  });
  return head(name, 'histogram', help) + lines.join('');
}

function head(name: string, type: string, help: string): string {
  return `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n`;
}

function line(name: string, labels: Labels | undefined, value: number): string {
  const pairs = Object.entries(labels ?? {}).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${numberText(value)}\n`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return Number.isFinite(value) ? String(value) : value > 0 ? '+Inf' : '-Inf';
}
