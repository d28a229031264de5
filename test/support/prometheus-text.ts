// A strict reader of the Prometheus text format 0.0.4: whatever its specification does not allow is an error.

export interface Family {
  type: string;
  help: string;
  samples: { name: string; labels: Record<string, string>; value: number }[];
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const HELP = new RegExp(`^# HELP (${NAME}) (.*)$`);
const TYPE = new RegExp(`^# TYPE (${NAME}) (counter|gauge|histogram|summary|untyped)$`);
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(.*)\\})? (\\S+)$`);
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/;
const VALUE = /^(?:[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|[+-]Inf|NaN)$/;

export function parsePrometheusText(text: string): Map<string, Family> {
  if (!text.endsWith('\n')) throw new Error('The last line does not end.');
  const families = new Map<string, Family>();
  const seen = new Set<string>();
  let current: { name: string; family: Family } | undefined;
  const lines = text.slice(0, -1).split('\n');
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] as string;
    const help = HELP.exec(line);
    if (help) {
      const [, name = '', words = ''] = help;
      const type = TYPE.exec(lines[++i] ?? '');
      if (type?.[1] !== name) throw new Error(`TYPE does not follow HELP of ${name}.`);
      if (families.has(name)) throw new Error(`${name} comes twice.`);
      if (/\\(?![\\n])/.test(words)) throw new Error(`HELP of ${name} has a bad escape.`);
      current = { name, family: { type: type[2] ?? '', help: words, samples: [] } };
      families.set(name, current.family);
      continue;
    }
    const sample = SAMPLE.exec(line);
    if (!sample || !current) throw new Error(`Not a line of the format: ${line}`);
    const [, name = '', labelText, value = ''] = sample;
    const suffixes = current.family.type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
    if (!suffixes.some((suffix) => name === `${current?.name}${suffix}`)) throw new Error(`${name} is not of the family ${current.name}.`);
    if (!VALUE.test(value)) throw new Error(`Not a number: ${line}`);
    const labels = parseLabels(labelText);
    const identity = JSON.stringify([name, labels]);
    if (seen.has(identity)) throw new Error(`The same sample twice: ${line}`);
    seen.add(identity);
    current.family.samples.push({ name, labels, value: Number(value.replace('Inf', 'Infinity')) });
  }
  for (const [name, family] of families) if (family.type === 'histogram') checkHistogram(name, family);
  return families;
}

function parseLabels(text: string | undefined): Record<string, string> {
  const labels: Record<string, string> = {};
  for (let rest = text ?? ''; rest !== ''; ) {
    const match = LABEL.exec(rest);
    if (!match) throw new Error(`Not a list of labels: ${text}`);
    const [whole, name = '', value = ''] = match;
    if (name in labels) throw new Error(`The label ${name} comes twice.`);
    labels[name] = value.replace(/\\(.)/g, (_, sign: string) => (sign === 'n' ? '\n' : sign));
    rest = rest.slice(whole.length);
  }
  return labels;
}

/** Buckets go up, end with +Inf, and that one is the count. */
function checkHistogram(name: string, { samples }: Family): void {
  const series = Map.groupBy(samples, ({ labels }) => JSON.stringify({ ...labels, le: undefined }));
  for (const [labels, own] of series) {
    const buckets = own.filter((sample) => sample.name === `${name}_bucket`);
    const count = own.find((sample) => sample.name === `${name}_count`);
    if (!count || !own.some((sample) => sample.name === `${name}_sum`)) throw new Error(`${name}${labels} lacks its count or sum.`);
    let [bound, n] = [Number.NEGATIVE_INFINITY, 0];
    for (const { labels: own_, value } of buckets) {
      const next = Number((own_['le'] ?? '').replace('Inf', 'Infinity'));
      if (!(next > bound) || value < n) throw new Error(`The buckets of ${name}${labels} do not go up.`);
      [bound, n] = [next, value];
    }
    if (bound !== Number.POSITIVE_INFINITY || n !== count.value) throw new Error(`${name}${labels} does not end with +Inf and its count.`);
  }
}
