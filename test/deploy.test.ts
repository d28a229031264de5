// What is there to deploy Syncline is parsed, and agrees with itself and with the program. Neither Docker nor Kubernetes is needed.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig, SETTINGS, withRole } from '../src/config.ts';
import { rangesOf } from '../src/lib/addresses.ts';

const ROOT = resolve(import.meta.dirname, '..');
const DRAIN = 25;
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

// oxlint-disable-next-line no-explicit-any -- documents of every shape
type Document = any;

/** The role that a container is started with, when it could start with it. */
function roleOf(command: string[]): string {
  const [start, option, role] = command;
  assert.deepEqual([start, option, command.length], ['start', '--role', 3]);
  const config = readConfig({ DATABASE_URL: 'postgres://db/d' });
  return withRole(config, role).role;
}

describe('compose.yaml', () => {
  const compose = parse(read('compose.yaml'), { merge: true });
  const { api, worker, balancer, postgres } = compose.services;

  test('has two nodes that answer, two that work, a database and a load balancer', () => {
    assert.deepEqual(Object.keys(compose.services), ['postgres', 'api', 'worker', 'balancer']);
    assert.deepEqual([roleOf(api.command), roleOf(worker.command)], ['api', 'worker']);
    assert.deepEqual([api.deploy.replicas, worker.deploy.replicas], [2, 2]);
  });

  test('gives all nodes the same secrets, which have to be chosen, and settings that exist', () => {
    for (const { environment } of [api, worker]) {
      const { SYNCLINE_TRUSTED_PROXIES: proxies, ...secrets } = environment;
      assert.ok(rangesOf(proxies).length > 0);
      assert.deepEqual(Object.keys(secrets), ['DATABASE_URL', 'SYNCLINE_ADMIN_KEY', 'SYNCLINE_SECRET_KEY']);
      for (const value of Object.values<string>(secrets)) assert.match(value, /\$\{\w+:\?.*\.env\}/);
    }
    assert.match(postgres.environment.POSTGRES_PASSWORD, /:\?/);
    const hints = [...read('compose.yaml').matchAll(/^# +echo "(\w+)=/gm)].map(([, name]) => name);
    assert.deepEqual(hints, ['POSTGRES_PASSWORD', 'SYNCLINE_ADMIN_KEY', 'SYNCLINE_SECRET_KEY']);
  });

  test('runs containers that may write nothing, may become nobody else, and have time to stop', () => {
    for (const service of [api, worker, balancer]) {
      assert.equal(service.read_only, true);
      assert.deepEqual([service.cap_drop, service.security_opt], [['ALL'], ['no-new-privileges:true']]);
    }
    for (const service of [api, worker]) assert.ok(Number.parseInt(service.stop_grace_period, 10) > DRAIN);
  });

  test('balances what is ready, where it listens', () => {
    const settings = read('deploy/haproxy.cfg');
    assert.ok(balancer.volumes[0].startsWith('./deploy/haproxy.cfg:'));
    assert.match(settings, /server-template api- 8 api:8080 check /);
    assert.match(settings, /option httpchk GET \/readyz/);
    assert.match(read('Dockerfile'), /PORT=8080/);
    assert.match(balancer.ports[0], /^127\.0\.0\.1:/);
  });
});

describe('the manifests for Kubernetes', () => {
  const kustomization = parse(read('deploy/kubernetes/kustomization.yaml'));
  const documents: Document[] = kustomization.resources.flatMap((file: string) =>
    parseAllDocuments(read(`deploy/kubernetes/${file}`)).map((document) => {
      assert.deepEqual(document.errors, []);
      return document.toJS();
    }),
  );
  const ofKind = (kind: string): Document[] => documents.filter((document) => document.kind === kind);
  const deployments = ofKind('Deployment');
  const podOf = ({ spec }: Document): Document => spec.template.spec;
  const containerOf = (deployment: Document): Document => podOf(deployment).containers[0];

  test('are all listed, and each is named once', () => {
    const files = globSync('*.yaml', { cwd: join(ROOT, 'deploy/kubernetes') }).sort();
    assert.deepEqual(
      files,
      ['kustomization.yaml', ...kustomization.resources].toSorted((a, b) => a.localeCompare(b)),
    );
    const names = documents.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
    assert.equal(new Set(names).size, names.length);
  });

  test('have a deployment for each role, a service for the api, and a budget for each', () => {
    assert.deepEqual(
      deployments.map((deployment) => roleOf(containerOf(deployment).args)),
      ['api', 'worker'],
    );
    const [api, worker] = deployments.map(({ spec }) => spec.template.metadata.labels);
    for (const [at, { spec }] of deployments.entries()) assert.deepEqual(spec.selector.matchLabels, [api, worker][at]);
    assert.deepEqual(ofKind('Service')[0].spec.selector, api);
    assert.deepEqual(
      ofKind('PodDisruptionBudget').map(({ spec }) => [spec.maxUnavailable, spec.selector.matchLabels]),
      [
        [1, api],
        [1, worker],
      ],
    );
    const [{ spec }] = ofKind('HorizontalPodAutoscaler');
    assert.equal(spec.scaleTargetRef.name, deployments[0].metadata.name);
    assert.ok(deployments[0].spec.replicas === undefined && spec.minReplicas >= 2);
  });

  test('set what exists, and take secrets from one place', () => {
    const literals = kustomization.configMapGenerator[0].literals.map((literal: string) => literal.split('='));
    for (const deployment of deployments) {
      const { env = [], envFrom } = containerOf(deployment);
      const settings = Object.fromEntries([...literals, ...env.map(({ name, value }: Document) => [name, value])]);
      assert.deepEqual(
        Object.keys(settings).filter((name) => !Object.hasOwn(SETTINGS, name)),
        [],
      );
      const config = readConfig({ DATABASE_URL: 'postgres://db/d', ...settings });
      assert.deepEqual(envFrom, [
        { configMapRef: { name: kustomization.configMapGenerator[0].name } },
        { secretRef: { name: 'syncline' } },
      ]);
      const { limits } = containerOf(deployment).resources;
      const isWorker = roleOf(containerOf(deployment).args) === 'worker';
      if (isWorker) assert.ok(Number.parseInt(limits.memory, 10) >= config.maxRuns * config.runMemory + 512);
    }
  });

  test('run without root on a read-only file system, and can do nothing else', () => {
    for (const deployment of deployments) {
      const { securityContext, automountServiceAccountToken, enableServiceLinks, volumes } = podOf(deployment);
      assert.deepEqual([automountServiceAccountToken, enableServiceLinks], [false, false]);
      assert.deepEqual([securityContext.runAsNonRoot, securityContext.seccompProfile.type], [true, 'RuntimeDefault']);
      assert.match(read('Dockerfile'), new RegExp(`^USER ${securityContext.runAsUser}:${securityContext.runAsGroup}$`, 'm'));
      assert.deepEqual(containerOf(deployment).securityContext, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      assert.deepEqual(
        containerOf(deployment).volumeMounts.map(({ name, mountPath }: Document) => [name, mountPath]),
        [[volumes[0].name, '/data']],
      );
    }
  });

  test('ask the probes that there are, and give nodes time to stop', () => {
    for (const deployment of deployments) {
      const { startupProbe, readinessProbe, livenessProbe, ports, lifecycle } = containerOf(deployment);
      const asked = [startupProbe, readinessProbe, livenessProbe].map(({ httpGet }) => [httpGet.path, httpGet.port]);
      assert.deepEqual(asked, [
        ['/healthz', ports[0].name],
        ['/readyz', ports[0].name],
        ['/healthz', ports[0].name],
      ]);
      const before = Number(lifecycle?.preStop.exec.command[1] ?? 0);
      assert.ok(podOf(deployment).terminationGracePeriodSeconds > before + DRAIN);
    }
  });
});

test('variables that Kubernetes makes of a service called "syncline" are no settings, and no faults', () => {
  const links = {
    SYNCLINE_SERVICE_HOST: '10.96.0.12',
    SYNCLINE_SERVICE_PORT: '80',
    SYNCLINE_SERVICE_PORT_HTTP: '80',
    SYNCLINE_PORT: 'tcp://10.96.0.12:80',
    SYNCLINE_PORT_80_TCP: 'tcp://10.96.0.12:80',
    SYNCLINE_PORT_80_TCP_ADDR: '10.96.0.12',
    SYNCLINE_PORT_80_TCP_PORT: '80',
    SYNCLINE_PORT_80_TCP_PROTO: 'tcp',
    SYNCLINE_API_SERVICE_HOST: '10.96.0.13',
    SYNCLINE_API_PORT: 'tcp://10.96.0.13:80',
  };
  assert.equal(readConfig(links).port, 8080);
  assert.throws(() => readConfig({ SYNCLINE_PORT: '8081' }), /SYNCLINE_PORT is not a setting/);
});
