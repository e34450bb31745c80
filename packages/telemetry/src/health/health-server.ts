import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';
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

/** /healthz: the event loop runs. /readyz: the role can work now. /metrics: Prometheus. */
export async function startHealthServer(options: HealthOptions): Promise<HealthServer> {
  const routes: Readonly<Record<string, () => Promise<Answer>>> = {
    '/healthz': async () => text(200, 'ok\n'),
    '/readyz': async () => {
      const report = await checkReady(options.ready, options.readyTimeoutMs ?? 2_000);
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
