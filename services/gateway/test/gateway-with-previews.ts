// A gateway in front of sandboxes with previews. Rows are made by the api; ports of this machine replace
// containers.
import { sql } from 'kysely';
import { conformanceBrand } from '../../../tests/harness/conformance-brand.ts';
import { type HostRequest, sendToHost } from '../../../tests/harness/send-to-host.ts';
import { PortClosed } from '../src/proxy/connector.ts';
import { startApiWithWorkloads } from './api-with-workloads.ts';
import { directConnector } from './proxy-fixture.ts';
import { startTestGateway, type TestGatewayOptions } from './test-gateway.ts';

export const brand = conformanceBrand();
export const tokenHeader = `X-${brand.long}-Preview-Token`;
export const tokenParameter = `${brand.short}_preview_token`;

/**
 * `ports` maps a port of a sandbox to a port of this machine. The API has no port number and uses the key `api`; agents
 * use `agent`.
 */
export async function startGatewayWithPreviews(
  ports: () => Readonly<Record<string, number>>,
  options: TestGatewayOptions = {},
) {
  const workloads = await startApiWithWorkloads();
  const { api, database } = workloads;
  const runnerId = await workloads.addRunner();
  const agents = new Set<string>();
  const server = await startTestGateway(
    workloads,
    {
      async connect(endpoint, signal) {
        const port = ports()[endpoint.port ?? (agents.has(endpoint.instance) ? 'agent' : 'api')];
        if (port === undefined) throw new PortClosed('nothing listens');
        return directConnector(port).connect(endpoint, signal);
      },
      close: async () => {},
    },
    { patienceMs: 600, ...options },
  );

  /** Host below the domain of the gateway. */
  const hostOf = (url: string): string => new URL(url).host.replace(/\.preview\.localhost$/, '.preview.example.org');

  return {
    api,
    database,
    server,
    hostOf,
    async sandbox(name: string, spec: object = {}): Promise<string> {
      const made = await api.admin.post('/sandboxes', { metadata: { name }, spec });
      if (made.status !== 200) throw new Error(made.text);
      const { rows } = await sql<{ uid: string }>`update resources set status = 'DEPLOYED'
        where name = ${name} and kind = 'sandbox' and terminated_at is null returning uid`.execute(database);
      const uid = rows[0]?.uid ?? '';
      await workloads.addInstance(uid, 'boot-1', runnerId);
      return uid;
    },
    async agent(name: string, spec: object = {}, workspace = 'main'): Promise<void> {
      const { uid, revision } = await workloads.deploy(name, spec, workspace);
      agents.add(await workloads.addInstance(uid, revision, runnerId));
    },
    /** A custom domain, marked as verified as if its owner had set the DNS records. */
    async customDomain(name: string): Promise<void> {
      await api.admin.post('/customdomains', { metadata: { name }, spec: { domainType: 'previews' } });
      await sql`update resources set spec = spec || '{"status": "verified"}' where name = ${name}`.execute(database);
    },
    async preview(sandbox: string, name: string, spec: object = {}): Promise<string> {
      const made = await api.admin.post(`/sandboxes/${sandbox}/previews`, {
        metadata: { name },
        spec: { port: 3000, ...spec },
      });
      if (made.status !== 200) throw new Error(made.text);
      return hostOf(made.body.spec.url);
    },
    async token(sandbox: string, preview: string, lifeMs = 3_600_000): Promise<string> {
      const made = await api.admin.post(`/sandboxes/${sandbox}/previews/${preview}/tokens`, {
        metadata: { name: `token-${Date.now()}` },
        spec: { expiresAt: new Date(Date.now() + lifeMs).toISOString() },
      });
      return made.body.spec.token;
    },
    send: (host: string, asked: HostRequest = {}) => sendToHost(server.url, host, asked),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await workloads[Symbol.asyncDispose]();
    },
  };
}

export type GatewayWithPreviews = Awaited<ReturnType<typeof startGatewayWithPreviews>>;
