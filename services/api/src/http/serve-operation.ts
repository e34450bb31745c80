// Serves one request of an operation: version, caller, input, then the handler, which for a write runs in one
// transaction. The version is checked before the credential, and the credential before the body is read.
import { Readable } from 'node:stream';
import { type Operation, readVersion, requestErrors } from '@berth/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Dependencies } from '../dependencies.ts';
import { writeAudit } from './audit.ts';
import { type ReadCall, type Registration, StreamedAnswer, withCaller } from './call.ts';
import { readIdempotencyKey } from './idempotency.ts';
import { identify } from './identify.ts';
import { prefix } from './known-paths.ts';
import { largeBodyBytes } from './large-bodies.ts';
import { shareOf, streamInShare } from './share-of.ts';
import './request-context.ts';
import { readInput } from './read-input.ts';
import type { RequestLog } from './request-log.ts';
import { runWrite } from './run-write.ts';

interface Address {
  Params: Record<string, string>;
  Querystring: Record<string, unknown>;
}

export function serveOperation(
  server: FastifyInstance,
  registration: Registration,
  dependencies: Dependencies,
  log: RequestLog,
): void {
  const { operation } = registration;
  const base = operation.base === 'api_url' ? '' : prefix;
  server.route<Address>({
    method: operation.method,
    url: base + operation.path.replace(/\{(\w+)\}/g, ':$1'),
    ...(operation.bodyLimitBytes === undefined ? {} : { bodyLimit: operation.bodyLimitBytes }),
    onRequest: async (request, reply) => {
      request.requestContext.operation = operation;
      const answer = readVersion(oneHeader(request, dependencies.headers.version));
      if ('reason' in answer) return reply.code(400).send({ error: 'invalid_api_version', message: answer.reason });
      request.requestContext.version = answer.version;
      const caller = await identify(operation.access, request, dependencies);
      request.requestContext.caller = caller;
      const { config, largeBodies } = dependencies;
      const bytes = largeBodyBytes(operation, request.headers['content-length'], config.bodyLimitBytes);
      if (bytes !== undefined) await largeBodies.turn(shareOf(operation, caller), bytes);
    },
    handler: async (request, reply) => {
      const answer = await run(registration, request, reply, dependencies, log);
      // An operation without a declared response sends no body.
      if (answer === undefined) return reply.send();
      if (!(answer instanceof StreamedAnswer))
        return reply.type('application/json; charset=utf-8').send(JSON.stringify(answer));
      return reply.headers(answer.headers).send(streamOf(answer, request, reply, log));
    },
  });
}

/** Fastify closes the connection of a stream that fails after its head, and tells no hook of it. */
function streamOf({ chunks }: StreamedAnswer, request: FastifyRequest<Address>, reply: FastifyReply, log: RequestLog) {
  const stream = Readable.from(chunks, { objectMode: false });
  stream.once('error', (error) => {
    if (!reply.raw.headersSent) return;
    log.failed(request, requestErrors.internal({}, error));
    log.answered(request, reply);
  });
  return stream;
}

async function run(
  registration: Registration,
  request: FastifyRequest<Address>,
  reply: FastifyReply,
  dependencies: Dependencies,
  log: RequestLog,
): Promise<unknown> {
  const { operation } = registration;
  const { version, caller } = request.requestContext;
  if (version === undefined || caller === undefined) throw new Error('the steps before the handler did not run');
  const input = readInput(operation, version, { params: request.params, query: request.query, body: request.body });
  const shown: string[] = [];
  const call: ReadCall = withCaller(caller, {
    ...input,
    dependencies,
    operation,
    version,
    database: dependencies.database,
    requestId: request.id,
    address: request.ip,
    showsSecretsOf: (target: string) => {
      shown.push(target);
    },
    trace: log.trace(request),
    clientGone: () => closed(reply),
  });
  const { connectionShares } = dependencies;
  const share = shareOf(operation, caller);
  const { read, finish } = registration;
  if (read !== undefined) {
    const answer = await connectionShares.run(share, async () => {
      const found = await read(call);
      for (const target of shown) await writeAudit(dependencies.database, call, requireAction(operation), target);
      return found;
    });
    if (finish !== undefined) return finish(call, answer);
    return answer instanceof StreamedAnswer ? streamInShare(connectionShares, share, answer) : answer;
  }
  const idempotent =
    operation.method === 'POST'
      ? readIdempotencyKey({
          header: request.headers['idempotency-key'],
          // The key, not the subject: a narrower key of the same owner must not receive the stored answer of a wider
          // one.
          principal: call.principal.keyId,
          workspaceId: scopeOf(operation) === 'workspace' ? call.workspace.id : undefined,
          operation: operation.id,
          url: request.url,
          body: request.body,
        })
      : undefined;
  return runWrite(registration, call, idempotent, share);
}

function requireAction({ id, auditRead }: Operation): string {
  if (auditRead === undefined) throw new Error(`${id} shows secrets and declares no action for the audit log`);
  return auditRead;
}

/** Created on demand, because most requests finish before their handler would check the signal. */
function closed({ raw }: FastifyReply): AbortSignal {
  const ended = new AbortController();
  if (raw.destroyed) ended.abort();
  raw.once('close', () => ended.abort());
  return ended.signal;
}

const scopeOf = ({ access }: Operation): 'workspace' | 'none' =>
  access.kind === 'workspace' || access.kind === 'workspaceInPath' ? 'workspace' : 'none';

const oneHeader = (request: FastifyRequest, name: string): string | undefined => {
  const value = request.headers[name.toLowerCase()];
  return Array.isArray(value) ? value.join(',') : value;
};
