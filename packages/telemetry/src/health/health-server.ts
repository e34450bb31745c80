import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Gauge, type Registry } from 'prom-client';
import { checkReady, type ReadyReport } from './ready.ts';

export type HealthServer = { url: string; port: number; close(): Promise<void> };

export type HealthOptions = {
  /** 0 picks a free port. */
  port: number;
  host: string;
  ready: () => Promise<ReadyReport>;
  registry: Registry;
  readyTimeoutMs?: number;
};

type Answer = { status: number; type: string; body: string };

const defaultReadyTimeoutMs = 2_000;

/** /healthz: the event loop runs. /readyz: the role can work now. /metrics: Prometheus. */
export async function startHealthServer(options: HealthOptions): Promise<HealthServer> {
  registerReadiness(options);
  const routes: Readonly<Record<string, () => Promise<Answer>>> = {
    '/healthz': async () => text(200, 'ok\n'),
    '/readyz': async () => {
      const report = await checkReady(options.ready, options.readyTimeoutMs ?? defaultReadyTimeoutMs);
      return { status: report.ready ? 200 : 503, type: 'application/json', body: `${JSON.stringify(report)}\n` };
    },
    '/metrics': async () => ({
      status: 200,
      type: options.registry.contentType,
      body: await options.registry.metrics(),
    }),
  };

  const server = createServer((request, response) => {
    answer(routes, request)
      .catch(() => text(500, 'internal error\n'))
      .then((result) => send(response, result))
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : options.port;
  return { url: `http://${options.host}:${port}`, port, close: () => close(server) };
}

/** The metric has the checks that failed, so that an alert names what the role waits for. */
function registerReadiness({ registry, ready, readyTimeoutMs }: HealthOptions): void {
  new Gauge({
    name: 'berth_ready',
    help: 'Whether each thing that the role needs answers, as /readyz says: 1 or 0.',
    labelNames: ['check'],
    registers: [registry],
    async collect() {
      const { checks } = await checkReady(ready, readyTimeoutMs ?? defaultReadyTimeoutMs);
      this.reset();
      for (const [check, { ok }] of Object.entries(checks)) this.set({ check }, ok ? 1 : 0);
    },
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function answer(routes: Readonly<Record<string, () => Promise<Answer>>>, request: IncomingMessage) {
  const [path = ''] = (request.url ?? '').split('?');
  const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
  if (!route) return text(404, 'There is /healthz, /readyz and /metrics.\n');
  if (request.method !== 'GET' && request.method !== 'HEAD') return text(405, 'Use GET.\n');
  return route();
}

function text(status: number, body: string): Answer {
  return { status, type: 'text/plain; charset=utf-8', body };
}

function send(response: ServerResponse, { status, type, body }: Answer): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
}
