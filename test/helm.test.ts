// The chart for Helm renders what deploy/kubernetes has, and what else its values ask for. Where `helm` is on the PATH it renders, and our own renderer is
// compared with it; `npm test` needs neither Helm nor Kubernetes.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { readConfig, SETTINGS } from '../src/config.ts';
import { ChartTemplates } from './support/helm-templates.ts';

const ROOT = resolve(import.meta.dirname, '..');
const CHART = join(ROOT, 'deploy/helm/syncline');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

// oxlint-disable-next-line no-explicit-any -- documents of every shape
type Document = any;
type Values = Record<string, unknown>;

const hasHelm = spawnSync('helm', ['version']).status === 0;
const templates = new ChartTemplates(
  Object.fromEntries(globSync('templates/*', { cwd: CHART }).map((file) => [basename(file), readFileSync(join(CHART, file), 'utf8')])),
);
const defaults: Values = parse(read('deploy/helm/syncline/values.yaml'));

const KEYS = { adminKey: 'the-key-of-the-operator-of-charts', secretKey: Buffer.alloc(32, 'chart').toString('base64') };
const VALUE_SETS = {
  default: {},
  given: { existingSecret: '', secrets: { databaseUrl: 'postgres://u:p@db/d?sslmode=verify-full', ...KEYS } },
  single: { existingSecret: '', single: { persistence: { storageClass: 'fast', size: '50Gi' } } },
  'single with keys': { existingSecret: '', secrets: KEYS, fullnameOverride: 'shop' },
  everything: {
    image: { repository: 'registry.example.com/syncline', tag: '0.1.0', pullPolicy: 'Always' },
    imagePullSecrets: [{ name: 'registry' }],
    existingSecret: 'ours',
    settings: { LOG_LEVEL: 'debug', SYNCLINE_OIDC_SCOPE_CLAIM: 'a<b&c: "d"' },
    extraEnv: [{ name: 'SYNCLINE_CURRENCY', value: 'CHF' }],
    api: { replicas: 3, autoscaling: { enabled: false } },
    worker: { replicas: 5, maxRuns: '2' },
    service: { type: 'NodePort', port: 8080, annotations: { a: 'b' } },
    ingress: {
      enabled: true,
      className: 'nginx',
      host: 'shop.example.com',
      annotations: { c: 'true' },
      tls: [{ hosts: ['shop.example.com'], secretName: 'tls' }],
    },
    metrics: { enabled: true, annotations: true, serviceMonitor: { enabled: true, labels: { release: 'prometheus' } } },
    podAnnotations: { d: 'e' },
    nodeSelector: { 'kubernetes.io/arch': 'arm64' },
    tolerations: [{ key: 'shop', operator: 'Exists' }],
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'k', operator: 'Exists' }] }] },
      },
    },
  },
} satisfies Record<string, Values>;

/** As Helm lays given values over those of the chart: member by member, lists as a whole. */
function merged(under: Values, over: Values): Values {
  const isMap = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value);
  const pairs = Object.entries(over).map(([name, value]) => {
    const below = under[name];
    return [name, isMap(value) && isMap(below) ? merged(below, value) : value];
  });
  return { ...under, ...(Object.fromEntries(pairs) as Values) };
}

function documentsOf(text: string): Document[] {
  return parseAllDocuments(text)
    .map((document) => {
      assert.deepEqual(document.errors, []);
      return document.toJS();
    })
    .filter((document) => document !== null)
    .sort((one, other) => nameOf(one).localeCompare(nameOf(other)));
}

const nameOf = ({ kind, metadata }: Document): string => `${kind}/${metadata.name}`;

function renderedByUs(values: Values): Document[] {
  const root = { Values: merged(defaults, values), Release: { Name: 'syncline', Namespace: 'default' } };
  const files = globSync('templates/*.yaml', { cwd: CHART }).map((file) => templates.render(basename(file), root));
  return files.flatMap(documentsOf).sort((one, other) => nameOf(one).localeCompare(nameOf(other)));
}

function renderedByHelm(values: Values): Document[] {
  const folder = mkdtempSync(join(tmpdir(), 'syncline-helm-'));
  try {
    const file = join(folder, 'values.yaml');
    writeFileSync(file, stringify(values));
    const args = ['template', 'syncline', CHART, '--kube-version', '1.30.0', '--values', file];
    const { status, stdout, stderr } = spawnSync('helm', args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    return documentsOf(stdout);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const rendered = hasHelm ? renderedByHelm : renderedByUs;

/** What deploy/kubernetes becomes by its kustomization. test/deploy.test.ts looks at it closely. */
function manifests(): Document[] {
  const { resources, images, configMapGenerator } = parse(read('deploy/kubernetes/kustomization.yaml'));
  const [{ name, literals }] = configMapGenerator;
  const data = Object.fromEntries(literals.map((literal: string) => literal.split('=')));
  const text = resources.map((file: string) => read(`deploy/kubernetes/${file}`)).join('\n---\n');
  const [{ newName, newTag }] = images;
  const documents = documentsOf(text.replaceAll(/image: syncline$/gm, `image: ${newName}:${newTag}`));
  return [...documents, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data }].sort((one, other) =>
    nameOf(one).localeCompare(nameOf(other)),
  );
}

/** Without what a chart has besides: to which release something belongs, digests that replace pods, and what is the default anyway. */
function plain(documents: Document[]): Document[] {
  const isOfChart = (name: string): boolean =>
    name === 'app.kubernetes.io/instance' || name.startsWith('checksum/') || name === 'imagePullPolicy';
  const text = JSON.stringify(documents, (name, value) => (isOfChart(name) ? undefined : value));
  return (JSON.parse(text) as Document[]).map((document) => {
    if (document.kind === 'Service') delete document.spec.type;
    if (document.spec?.template) delete document.spec.template.metadata.annotations;
    return document;
  });
}

describe('the chart for Helm', () => {
  test('makes of its default values what deploy/kubernetes has', () => {
    assert.deepEqual(plain(rendered({})), plain(manifests()));
  });

  for (const [name, values] of Object.entries(VALUE_SETS)) {
    test(`is rendered by our own renderer as by Helm (${name})`, { skip: !hasHelm && 'helm is not on the PATH' }, () => {
      assert.deepEqual(renderedByUs(values), renderedByHelm(values));
    });

    test(`names each object once, and sets what exists (${name})`, () => {
      const documents = rendered(values);
      const names = documents.map(nameOf);
      assert.equal(new Set(names).size, names.length);
      const { data } = documents.find(({ kind }) => kind === 'ConfigMap');
      for (const { spec } of documents.filter(({ kind }) => ['Deployment', 'StatefulSet'].includes(kind))) {
        assert.deepEqual(spec.selector.matchLabels, spec.template.metadata.labels);
        const [{ env = [], envFrom, args }] = spec.template.spec.containers;
        const settings = { ...data, ...Object.fromEntries(env.map((one: Document) => [one.name, one.value])) };
        assert.deepEqual(
          Object.keys(settings).filter((setting) => !Object.hasOwn(SETTINGS, setting)),
          [],
        );
        readConfig({ ...settings, DATABASE_URL: 'postgres://db/d', SYNCLINE_ROLE: args[2] });
        for (const { configMapRef, secretRef } of envFrom)
          if (configMapRef) assert.ok(names.includes(`ConfigMap/${configMapRef.name}`));
          else assert.ok(names.includes(`Secret/${secretRef.name}`) || secretRef.name === merged(defaults, values)['existingSecret']);
      }
    });
  }

  test('makes one node with a volume where there is no database', () => {
    const documents = rendered(VALUE_SETS.single);
    assert.deepEqual(documents.map(nameOf), ['ConfigMap/syncline', 'Service/syncline', 'StatefulSet/syncline']);
    const [, service, { spec }] = documents;
    assert.equal(spec.replicas, 1);
    assert.deepEqual(spec.template.spec.containers[0].args, ['start', '--role', 'all']);
    assert.deepEqual(service.spec.selector, spec.template.metadata.labels);
    const [{ metadata, spec: claim }] = spec.volumeClaimTemplates;
    assert.deepEqual([metadata.name, claim.storageClassName, claim.resources.requests.storage], ['data', 'fast', '50Gi']);
    assert.deepEqual(spec.template.spec.containers[0].volumeMounts, [{ name: 'data', mountPath: '/data' }]);
    assert.equal(spec.template.spec.volumes, undefined);
  });

  test('makes a secret of what is given, and demands the keys that all nodes share', () => {
    const secret = rendered(VALUE_SETS.given).find(({ kind }) => kind === 'Secret');
    const { databaseUrl, adminKey, secretKey } = VALUE_SETS.given.secrets;
    assert.deepEqual(secret.stringData, { DATABASE_URL: databaseUrl, SYNCLINE_ADMIN_KEY: adminKey, SYNCLINE_SECRET_KEY: secretKey });
    for (const missing of ['adminKey', 'secretKey'] as const) {
      const values = merged(VALUE_SETS.given, { secrets: { [missing]: '' } });
      assert.throws(() => rendered(values), new RegExp(`secrets\\.${missing} is needed with secrets\\.databaseUrl`));
    }
    const alone = rendered(VALUE_SETS['single with keys']).find(({ kind }) => kind === 'Secret');
    assert.deepEqual([alone.metadata.name, Object.keys(alone.stringData)], ['shop', ['SYNCLINE_ADMIN_KEY', 'SYNCLINE_SECRET_KEY']]);
  });

  test('passes on what else is asked for', () => {
    const documents = rendered(VALUE_SETS.everything);
    const find = (name: string): Document => documents.find((document) => nameOf(document) === name) ?? assert.fail(name);
    const { spec } = find('Deployment/syncline-api');
    const { imagePullSecrets, nodeSelector, tolerations, affinity, containers } = spec.template.spec;
    const { everything } = VALUE_SETS;
    assert.deepEqual(
      { imagePullSecrets, nodeSelector, tolerations, affinity },
      {
        imagePullSecrets: everything.imagePullSecrets,
        nodeSelector: everything.nodeSelector,
        tolerations: everything.tolerations,
        affinity: everything.affinity,
      },
    );
    assert.deepEqual([spec.replicas, find('Deployment/syncline-worker').spec.replicas], [3, 5]);
    assert.ok(!documents.some(({ kind }) => kind === 'HorizontalPodAutoscaler'));
    assert.deepEqual(
      containers[0].ports.map((port: Document) => [port.name, port.containerPort]),
      [
        ['http', 8080],
        ['metrics', 9090],
      ],
    );
    assert.equal(spec.template.metadata.annotations['prometheus.io/port'], '9090');
    const ingress = find('Ingress/syncline').spec;
    assert.deepEqual([ingress.ingressClassName, ingress.rules[0].host, ingress.tls], ['nginx', 'shop.example.com', everything.ingress.tls]);
    const monitor = find('ServiceMonitor/syncline').spec;
    const watched = find('Service/syncline-metrics');
    assert.deepEqual(monitor.selector.matchLabels, watched.metadata.labels);
    assert.equal(watched.metadata.labels[monitor.jobLabel], 'syncline');
    assert.match(read('deploy/prometheus/rules.yaml'), /job="syncline"/);
  });

  test('says where the page is and who may enter', () => {
    const notesOf = (values: Values): string =>
      templates.render('NOTES.txt', { Values: merged(defaults, values), Release: { Name: 'syncline', Namespace: 'shop' } });
    assert.match(notesOf({}), /port-forward service\/syncline 8080:80\n.*SYNCLINE_ADMIN_KEY of the secret "syncline"/);
    assert.match(notesOf(VALUE_SETS.everything), /at https:\/\/shop\.example\.com\/\n.*of the secret "ours"/);
    assert.match(notesOf(VALUE_SETS.given), /The admin key is the one that you gave as secrets\.adminKey\./);
    assert.match(notesOf(VALUE_SETS.single), /\n {2}kubectl --namespace shop exec syncline-0 -- cat \/data\/admin-key\n$/);
  });

  test('replaces pods when settings or secrets change', () => {
    const digests = (values: Values): string[] =>
      Object.values(rendered(values).find(({ kind }) => kind === 'Deployment').spec.template.metadata.annotations);
    const [settings, secrets] = digests(VALUE_SETS.given);
    const [otherSettings, sameSecrets] = digests(merged(VALUE_SETS.given, { settings: { LOG_LEVEL: 'warn' } }));
    assert.ok(settings !== otherSettings && secrets === sameSecrets);
    const [, otherSecrets] = digests(merged(VALUE_SETS.given, { secrets: { adminKey: 'another-key-of-the-operator-of-charts' } }));
    assert.notEqual(secrets, otherSecrets);
  });

  test('has a schema that knows every value, and no other', () => {
    const schema = JSON.parse(read('deploy/helm/syncline/values.schema.json'));
    const missing = (values: Values, { properties, additionalProperties }: Document, path: string): string[] =>
      properties === undefined && additionalProperties !== false
        ? []
        : Object.entries(values).flatMap(([name, value]) => {
            const member = properties?.[name];
            if (member === undefined) return [`${path}${name}`];
            return member.type === 'object' ? missing(value as Values, member, `${path}${name}.`) : [];
          });
    assert.deepEqual(missing(defaults, schema, ''), []);
    // `global` is what Helm gives to charts that are part of another one.
    assert.deepEqual(Object.keys(schema.properties).toSorted(), [...Object.keys(defaults), 'global'].toSorted());
    assert.equal(schema.additionalProperties, false);
  });
});
