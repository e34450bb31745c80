// The smallest body and the path with which each kind is created.
import type { Client } from '../../harness/client.ts';

export interface Sample {
  readonly title: string;
  /** Path of the collection below base_url. */
  readonly path: string;
  readonly spec: Readonly<Record<string, unknown>>;
  /** Turns a name into a valid one for the kind; names of custom domains are domains. */
  readonly named?: (name: string) => string;
}

/** Settings of a deployment in which every kind can be created. */
export const completeConfig = {
  regions: [{ name: 'one', egressPools: ['203.0.113.0/24', '2001:db8:1::/64'] }, { name: 'two' }],
  workloadDomain: 'run.example.test',
};

export const gatewayPath = '/vpcs/default/egressgateways';
export const exit = 'exit';
export const ipPath = `${gatewayPath}/${exit}/ips`;

const image = 'registry.example/library/busybox:1';

export const samples = {
  agent: { title: 'Agent', path: '/agents', spec: { runtime: { image, memory: 512 } } },
  function: { title: 'Function', path: '/functions', spec: { runtime: { image, type: 'mcp' } } },
  model: { title: 'Model', path: '/models', spec: { runtime: { type: 'openai', model: 'small' } } },
  job: { title: 'Job', path: '/jobs', spec: { runtime: { image } } },
  sandbox: { title: 'Sandbox', path: '/sandboxes', spec: { runtime: { image } } },
  policy: { title: 'Policy', path: '/policies', spec: { type: 'location' } },
  volume: { title: 'Volume', path: '/volumes', spec: { size: 64, region: 'one' } },
  drive: { title: 'Drive', path: '/drives', spec: { size: 1, region: 'one' } },
  volumeTemplate: { title: 'VolumeTemplate', path: '/volume_templates', spec: { defaultSize: 64 } },
  vpc: { title: 'VPC', path: '/vpcs', spec: {} },
  egressGateway: { title: 'EgressGateway', path: gatewayPath, spec: { region: 'one' } },
  egressIp: { title: 'EgressIP', path: ipPath, spec: { ipFamily: 'IPv4' } },
  customDomain: {
    title: 'CustomDomain',
    path: '/customdomains',
    spec: { domainType: 'previews', region: 'one' },
    named: (name: string) => `${name}.example.com`,
  },
  connection: { title: 'IntegrationConnection', path: '/integrations/connections', spec: { integration: 'github' } },
} as const satisfies Record<string, Sample>;

export const nameFor = ({ named }: Sample, name: string): string => named?.(name) ?? name;

export const bodyFor = (sample: Sample, name: string, metadata: object = {}) => ({
  metadata: { name: nameFor(sample, name), ...metadata },
  spec: sample.spec,
});

/** Creates the egress gateway that egress IPs belong to. */
export async function addExit(client: Client): Promise<void> {
  await client.post(gatewayPath, bodyFor(samples.egressGateway, exit));
}
