// Settings, containers, probes, Services and policies name the same ports.
import { isDeepStrictEqual } from 'node:util';
import { ofKind, selected } from '../objects.ts';
import { at, deploymentsOf, first, type Objects, type Rule, replaceSettings, roleOf, settingsOf } from './rule.ts';

/** Port of each listener by the name of its container port, as the settings have it. */
const listeners = (role: string, settings: unknown): Record<string, unknown> =>
  ({
    api: { http: at(settings, 'api.port'), node: at(settings, 'api.node.port') },
    orchestrator: { handlers: at(settings, 'orchestrator.port') },
    gateway: { http: at(settings, 'gateway.port') },
  })[role] ?? {};

/** Ports that no policy opens to all. */
const closed = ['handlers', 'health'];

const ingressRules = (objects: Objects) => ofKind(objects, 'NetworkPolicy').flatMap(({ spec }) => spec.ingress);

function openPort(objects: Objects, name: string): void {
  for (const rule of ingressRules(objects)) if (rule.ports.some(({ port }) => port === name)) delete rule.from;
}

export const portRules: readonly Rule[] = [
  {
    name: 'the ports of containers are those of the settings, and are reached from other pods',
    faults: (objects) =>
      settingsOf(objects).flatMap((settings) =>
        deploymentsOf(objects).flatMap((deployment) => {
          const role = roleOf(deployment);
          const expected = { ...listeners(role, settings), health: at(settings, `health.ports.${role}`) };
          const { ports } = first(deployment.spec.template.spec.containers);
          const actual = Object.fromEntries(ports.map(({ name, containerPort }) => [name, containerPort]));
          const hosts = ['health.host', `${role}.host`, ...(role === 'api' ? ['api.node.host'] : [])];
          return [
            ...(isDeepStrictEqual({ ...actual }, { ...expected }) ? [] : [`${role}: ports`]),
            ...hosts.filter((path) => at(settings, path) !== '0.0.0.0'),
          ];
        }),
      ),
    plants: {
      'another port of the health pages': (objects) =>
        replaceSettings(objects, {
          health: { host: '0.0.0.0', ports: { api: 9080, orchestrator: 9081, gateway: 9090 } },
        }),
      'health pages on loopback': (objects) =>
        replaceSettings(objects, {
          health: { host: '127.0.0.1', ports: { api: 9080, orchestrator: 9081, gateway: 9083 } },
        }),
      'another port of the gateway': (objects) =>
        replaceSettings(objects, { gateway: { host: '0.0.0.0', port: 8091 } }),
      'a gateway on loopback': (objects) => replaceSettings(objects, { gateway: { port: 8090 } }),
    },
  },
  {
    name: 'probes ask the health pages, and readiness is kept longer than gateways serve without PostgreSQL',
    faults: (objects) =>
      deploymentsOf(objects).flatMap((deployment) => {
        const { livenessProbe, readinessProbe } = first(deployment.spec.template.spec.containers);
        const readySeconds = (readinessProbe?.periodSeconds ?? 0) * (readinessProbe?.failureThreshold ?? 0);
        const isRight =
          isDeepStrictEqual(livenessProbe?.httpGet, { path: '/healthz', port: 'health' }) &&
          isDeepStrictEqual(readinessProbe?.httpGet, { path: '/readyz', port: 'health' }) &&
          readySeconds > 60;
        return isRight ? [] : [deployment.metadata.name];
      }),
    plants: {
      'a probe of another port': (objects) => {
        const { readinessProbe } = first(first(deploymentsOf(objects)).spec.template.spec.containers);
        if (readinessProbe !== undefined) readinessProbe.httpGet.port = 'http';
      },
      'a short readiness': (objects) => {
        const { readinessProbe } = first(first(deploymentsOf(objects)).spec.template.spec.containers);
        if (readinessProbe !== undefined) readinessProbe.failureThreshold = 3;
      },
      'no liveness': (objects) => {
        delete first(first(deploymentsOf(objects)).spec.template.spec.containers).livenessProbe;
      },
    },
  },
  {
    name: 'every Service finds the pods of one role, and a port of them',
    faults: (objects) =>
      ofKind(objects, 'Service').flatMap(({ metadata, spec }) => {
        const ports =
          selected(objects, spec.selector)?.spec.template.spec.containers.flatMap((each) => each.ports) ?? [];
        return spec.ports.every(({ targetPort }) => ports.some(({ name }) => name === targetPort))
          ? []
          : [metadata.name];
      }),
    plants: {
      'a port that no pod has': (objects) => {
        first(first(ofKind(objects, 'Service')).spec.ports).targetPort = 'https';
      },
      'a selector of all roles': (objects) => {
        delete first(ofKind(objects, 'Service')).spec.selector['app.kubernetes.io/component'];
      },
    },
  },
  {
    name: 'Restate reaches an orchestrator that is not ready, because it is ready only after that',
    faults: (objects) =>
      settingsOf(objects).flatMap((settings) => {
        const url = new URL(String(at(settings, 'orchestrator.advertisedUrl')));
        if (!url.hostname.endsWith('.svc')) return [];
        const service = ofKind(objects, 'Service').find(
          ({ metadata }) => url.hostname === `${metadata.name}.cloud.svc`,
        );
        const isRight =
          service?.spec.publishNotReadyAddresses === true &&
          service.spec.ports.some(({ port }) => String(port) === url.port);
        return isRight ? [] : [url.href];
      }),
    plants: {
      'a Service without such pods': (objects) => {
        for (const { spec } of ofKind(objects, 'Service')) spec.publishNotReadyAddresses = false;
      },
      'another port in the address': (objects) =>
        replaceSettings(objects, { orchestrator: { advertisedUrl: 'http://berth-orchestrator.cloud.svc:80' } }),
    },
  },
  {
    name: 'every rule of a network policy names ports of its pods, and neither handlers nor metrics are open to all',
    faults: (objects) =>
      ofKind(objects, 'NetworkPolicy').flatMap(({ metadata, spec }) => {
        const own = selected(objects, spec.podSelector.matchLabels);
        const all = own === undefined ? deploymentsOf(objects) : [own];
        const known = all.flatMap((each) => each.spec.template.spec.containers.flatMap(({ ports }) => ports));
        return spec.ingress.flatMap(({ ports, from = [] }) =>
          ports
            .filter(
              ({ port }) => !known.some(({ name }) => name === port) || (closed.includes(port) && from.length === 0),
            )
            .map(({ port }) => `${metadata.name}: ${port}`),
        );
      }),
    plants: {
      'all may call the handlers': (objects) => openPort(objects, 'handlers'),
      'all may read metrics': (objects) => openPort(objects, 'health'),
      'a port that no pod has': (objects) => {
        for (const { ports } of ingressRules(objects)) for (const each of ports) each.port = 'https';
      },
    },
  },
  {
    name: 'every backend of an Ingress is a Service with that port',
    faults: (objects) =>
      ofKind(objects, 'Ingress')
        .flatMap(({ spec }) => spec.rules.flatMap(({ http }) => http.paths.map(({ backend }) => backend.service)))
        .filter(({ name, port }) => {
          const service = ofKind(objects, 'Service').find(({ metadata }) => metadata.name === name);
          return !service?.spec.ports.some((each) => each.name === port.name);
        })
        .map(({ name }) => name),
    plants: {
      'Services with ports of other names': (objects) => {
        for (const { spec } of ofKind(objects, 'Service')) for (const port of spec.ports) port.name = 'other';
      },
    },
  },
];
