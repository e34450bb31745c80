// Listener for runners, on its own port, with mutual TLS under the deployment's node authority. Only joining works
// without a certificate; there the token is the credential.
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { bytesPerMb, requestErrors } from '@berth/contract';
import { LogBatch, nodePaths, type StreamMessage, UsageBatch } from '@berth/contract/node';
import { createNodeAuthority, type MasterKeyRing } from '@berth/identity';
import { Counter, type Logger, type Registry } from '@berth/telemetry';
import { createCertificateMetric } from '@berth/wire';
import { type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { z } from 'zod';
import type { NodeListenerConfig } from '../config.ts';
import type { Dependencies } from '../dependencies.ts';
import { errorBody, toApiError } from '../http/error-answer.ts';
import { storeLogBatch } from '../logs/store-log-batch.ts';
import { storeUsageBatch } from '../metering/store-usage-batch.ts';
import { certifyGateways } from './certify-gateways.ts';
import { nodeErrors } from './errors.ts';
import { recordHeartbeat } from './heartbeat.ts';
import { join, renew } from './join.ts';
import { issueListenerCertificate, renewListenerCertificate } from './listener-certificate.ts';
import type { NodeContext } from './node-context.ts';
import { recordOrphans } from './orphans.ts';
import { recordReports } from './reports.ts';
import { createRunnerMetrics } from './runner-metrics.ts';
import { createStartMetrics } from './start-metrics.ts';
import { openSession, streamMessages } from './stream.ts';
import { watchChanges } from './watch-changes.ts';
import { watchRunners } from './watch-runners.ts';

export interface NodeListenerOptions {
  readonly config: NodeListenerConfig;
  readonly databaseUrl: string;
  readonly masterKeys: MasterKeyRing;
  readonly dependencies: Dependencies;
  readonly logger: Logger;
  readonly registry: Registry;
  /** Interval at which the listener's certificate is checked; one hour when absent. */
  readonly certificateCheckMs?: number | undefined;
}

export interface RunningNodeListener {
  readonly address: string;
  stop(): Promise<void>;
}

/** Large enough for reports of a thousand instances and for batches of long log lines. */
const bodyLimitBytes = 16 * bytesPerMb;
/**
 * Joining is open to any client that reaches the listener, so its limit is low; a token, a name and a certificate
 * request are far smaller.
 */
const joinLimitBytes = 64 * 1024;

type Answer = (context: NodeContext, runnerId: string, body: unknown) => Promise<unknown>;

const answers: Readonly<Record<string, Answer>> = {
  [nodePaths.renew]: renew,
  [nodePaths.heartbeat]: recordHeartbeat,
  [nodePaths.reports]: recordReports,
  [nodePaths.orphans]: recordOrphans,
  [nodePaths.logs]: ({ dependencies, onLogsDropped }, runnerId, body) =>
    storeLogBatch(dependencies, runnerId, LogBatch.parse(body), onLogsDropped),
  [nodePaths.usage]: ({ dependencies }, runnerId, body) =>
    storeUsageBatch(dependencies, runnerId, UsageBatch.parse(body)),
};

export async function startNodeListener(options: NodeListenerOptions): Promise<RunningNodeListener> {
  const { config, databaseUrl, masterKeys, dependencies, logger, registry } = options;
  const { database, keyring } = dependencies;
  const authority = await createNodeAuthority(database, masterKeys);
  const changes = watchChanges(databaseUrl, logger);
  const observeStart = createStartMetrics(registry);
  let listening = await issueListenerCertificate(authority);
  createCertificateMetric(registry, () => {
    const { certificate: caller } = dependencies.runners;
    const own = { 'node-listener': listening.certificate, 'node-authority': authority.certificate };
    return caller === undefined ? own : { ...own, 'ingress-caller': caller };
  });
  const dropped = new Counter({
    name: 'berth_log_bytes_dropped_total',
    help: 'Bytes of output that were dropped because their workspace had reached its daily limit.',
    registers: [registry],
  });
  const onLogsDropped = (bytes: number): void => dropped.inc(bytes);
  const context: NodeContext = {
    database,
    keyring,
    authority,
    changes,
    observeStart,
    onLogsDropped,
    dependencies,
    logger,
  };
  const server = fastify({
    https: { ...listening.options, requestCert: true, rejectUnauthorized: false },
    bodyLimit: bodyLimitBytes,
    forceCloseConnections: true,
    return503OnClosing: true,
  });
  const closing = new AbortController();
  server.setErrorHandler((error, request, reply) => refuse(error, request, reply, options));
  server.post(nodePaths.join, { bodyLimit: joinLimitBytes }, ({ body }) => join(context, body));
  for (const [path, answer] of Object.entries(answers)) {
    server.post(
      path,
      { onRequest: requireCertificate },
      async (request) => (await answer(context, await runnerOf(context, request), request.body)) ?? {},
    );
  }
  server.post(nodePaths.stream, { onRequest: requireCertificate }, async (request, reply) => {
    const runnerId = await runnerOf(context, request);
    const session = await openSession(context, runnerId, request.body);
    // Gateways reload the runner's ingress address.
    dependencies.notifyRoutes();
    logger.info({ runner: runnerId, session: session.session }, 'runner connected');
    const ended = new AbortController();
    request.raw.socket.once('close', () => ended.abort());
    const signal = AbortSignal.any([ended.signal, closing.signal]);
    const lines = ndjson(streamMessages(context, runnerId, session, signal));
    return reply.type('application/x-ndjson').send(Readable.from(lines, { objectMode: false }));
  });
  const address = await server.listen({ host: config.host, port: config.port });
  const watch = watchRunners(context, config.lostAfterSeconds, createRunnerMetrics(registry));
  const certifying = certifyGateways(context, closing.signal);
  const keeping = renewListenerCertificate({
    server: server.server,
    authority,
    first: listening,
    onRenewed: (renewed) => {
      listening = renewed;
    },
    signal: closing.signal,
    logger,
    everyMs: options.certificateCheckMs,
  });
  return {
    address,
    async stop() {
      closing.abort();
      await Promise.all([keeping, certifying]);
      await watch.stop();
      await changes.close();
      await server.close();
    },
  };
}

async function* ndjson(messages: AsyncIterable<StreamMessage>): AsyncGenerator<string> {
  for await (const message of messages) yield `${JSON.stringify(message)}\n`;
}

/**
 * Id of the calling runner, from the certificate's common name. A removed runner still has a certificate but no row.
 */
async function runnerOf({ database }: NodeContext, request: FastifyRequest): Promise<string> {
  const id = certifiedId(request.raw.socket);
  if (id === undefined) throw nodeErrors.runner_unknown();
  const row = await database.selectFrom('runners').select('id').where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw nodeErrors.runner_unknown();
  return row.id;
}

/** Runs before the body is read, so that a client without a certificate cannot make this process buffer anything. */
async function requireCertificate({ raw }: FastifyRequest): Promise<void> {
  if (certifiedId(raw.socket) === undefined) throw nodeErrors.runner_unknown();
}

/**
 * Cache by socket: all requests of a connection share one certificate, and parsing it costs more than most requests.
 */
const certified = new WeakMap<Socket, string>();

function certifiedId(socket: Socket): string | undefined {
  const known = certified.get(socket);
  if (known !== undefined) return known;
  const name = isTls(socket) && socket.authorized ? socket.getPeerCertificate().subject?.CN : undefined;
  const id = z.uuid().safeParse(name);
  if (id.success) certified.set(socket, id.data);
  return id.data;
}

const isTls = (socket: Socket): socket is TLSSocket => 'getPeerCertificate' in socket;

function refuse(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  { logger, dependencies: { config } }: NodeListenerOptions,
): FastifyReply {
  const known =
    error instanceof z.ZodError
      ? requestErrors.invalid_request({ reason: z.prettifyError(error) }, error)
      : toApiError(error, request.routeOptions.bodyLimit ?? bodyLimitBytes, config.statementSeconds);
  if (known.status >= 500) logger.warn({ err: error, path: request.url }, 'runner request failed; the runner retries');
  return reply.code(known.status).send(errorBody(known));
}
