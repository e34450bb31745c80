// Test bed: a gateway in front of sandboxes with previews. Rows are made by the api; ports of this machine replace
// containers.
import { sql } from 'kysely';
import { PortClosed } from '../../services/gateway/src/proxy/connector.ts';
import { directConnector } from '../../services/gateway/src/proxy/proxy-fixture.ts';
import { conformanceBrand } from '../support/conformance-brand.ts';
import { type HostRequest, sendToHost } from '../support/send-to-host.ts';
import { makeBed } from './bed.ts';
import { startWalkBed, type WalkBedOptions } from './walk-bed.ts';

export const brand = conformanceBrand();
export const tokenHeader = `X-${brand.long}-Preview-Token`;
export const tokenParameter = `${brand.short}_preview_token`;

/**
 * `ports` maps a port of a sandbox to a port of this machine. The API has no port number and uses the key `api`; agents
 * use `agent`.
 */
export async function makePreviewBed(ports: () => Readonly<Record<string, number>>, options: WalkBedOptions = {}) {
  const bed = await makeBed();
  const { api, database } = bed;
  const runnerId = await bed.addRunner();
  const agents = new Set<string>();
  const walk = await startWalkBed(
    bed,
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

  /** Host below the domain of the walk bed. */
  const hostOf = (url: string): string => new URL(url).host.replace(/\.preview\.localhost$/, '.preview.example.org');

  return {
    api,
    database,
    walk,
    hostOf,
    async sandbox(name: string, spec: object = {}): Promise<string> {
      const made = await api.admin.post('/sandboxes', { metadata: { name }, spec });
      if (made.status !== 200) throw new Error(made.text);
      const { rows } = await sql<{ uid: string }>`update resources set status = 'DEPLOYED'
        where name = ${name} and kind = 'sandbox' and terminated_at is null returning uid`.execute(database);
      const uid = rows[0]?.uid ?? '';
      await bed.addInstance(uid, 'boot-1', runnerId);
      return uid;
    },
    async agent(name: string, spec: object = {}, workspace = 'main'): Promise<void> {
      const { uid, revision } = await bed.deploy(name, spec, workspace);
      agents.add(await bed.addInstance(uid, revision, runnerId));
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
    send: (host: string, asked: HostRequest = {}) => sendToHost(walk.url, host, asked),
    async [Symbol.asyncDispose]() {
      await walk[Symbol.asyncDispose]();
      await bed[Symbol.asyncDispose]();
    },
  };
}

export type PreviewBed = Awaited<ReturnType<typeof makePreviewBed>>;
