// The settings of the server on a machine that runs everything.
import { stringify } from 'yaml';
import type { Choices } from '../install/install-record.ts';
import type { Places } from '../machine/places.ts';
import { ports, runnerPorts } from '../machine/ports.ts';
import { edgeHosts } from './edge-hosts.ts';

export interface Secrets {
  readonly masterKey: { readonly id: string; readonly key: string };
  readonly postgresPassword: string;
  readonly clickhousePassword: string;
}

export interface SettingsInput {
  readonly choices: Choices;
  readonly secrets: Secrets;
  readonly sandboxImage: string;
  /** Memory that instances are promised. */
  readonly instancesMb: number;
  readonly places: Pick<Places, 'archive' | 'currentRelease' | 'runnerState'>;
}

const loopback = '127.0.0.1';
/** For the control plane with its engines, beside the instances. */
const controlPlaneMb = 1_500;
const leastInstancesMb = 512;

/** A tenth is left for the system, as by the runner itself. */
export const instancesMb = (machineMb: number): number =>
  Math.max(leastInstancesMb, Math.floor(machineMb * 0.9) - controlPlaneMb);

const localUrl = (port: number): string => `http://${loopback}:${port}`;

function berthSettings({ choices, secrets, sandboxImage, instancesMb, places }: SettingsInput) {
  const { address, domain, withLogs, hasWildcard, acmeCa, takesRunners } = choices;
  const { api, gateway } = edgeHosts(choices);
  const node = takesRunners
    ? { host: '0.0.0.0', port: runnerPorts.nodeListener }
    : { host: loopback, port: ports.nodeListener };
  const gateways = [443, 80].map((port) => ({ address, port }));
  const proxies = ['127.0.0.0/8', '::1/128'];
  // Tasks trust public authorities alone.
  const isPublicCertificate = domain !== undefined && acmeCa === undefined;
  return {
    postgres: { url: `postgres://berth:${secrets.postgresPassword}@${loopback}:${ports.postgres}/berth` },
    ...(withLogs
      ? { clickhouse: { url: `http://berth:${secrets.clickhousePassword}@${loopback}:${ports.clickhouse}/berth` } }
      : {}),
    masterKeys: [secrets.masterKey],
    restate: { ingressUrl: localUrl(ports.restateIngress), adminUrl: localUrl(ports.restateAdmin) },
    api: {
      host: loopback,
      port: ports.api,
      publicUrl: `https://${api}`,
      gatewayUrl: `https://${gateway}`,
      ...(domain === undefined ? {} : { workloadDomain: domain }),
      workloadUrls: hasWildcard ? 'hosts' : 'paths',
      trustedProxies: proxies,
      node,
      ...(takesRunners
        ? { install: { archive: places.archive, nodeUrl: `https://${address}:${node.port}`, gateways } }
        : {}),
    },
    orchestrator: { host: loopback, port: ports.handlers },
    placement: {
      sandboxes: { defaultImage: sandboxImage },
      jobs: { gatewayUrl: `${isPublicCertificate ? 'https' : 'http'}://${gateway}` },
    },
    gateway: { host: loopback, port: ports.gateway, hosts: [gateway], trustedProxies: proxies },
    runner: {
      apiUrl: `https://${loopback}:${node.port}`,
      stateFolder: places.runnerState,
      guestFolder: `${places.currentRelease}/guest`,
      memoryMb: instancesMb,
      gateways,
      ingress: { host: loopback, port: ports.runnerIngress },
    },
    health: {
      host: loopback,
      ports: {
        api: ports.apiHealth,
        orchestrator: ports.orchestratorHealth,
        runner: ports.runnerHealth,
        gateway: ports.gatewayHealth,
      },
    },
  };
}

export const settingsText = (input: SettingsInput): string =>
  `# Settings of this deployment, made by berth-server up. docs/operations/settings.md lists all of them.
# It holds the master key: keep a copy of that key away from this machine (docs/operations/keys.md).
# After a change run: berth-server up
${stringify(berthSettings(input))}`;
