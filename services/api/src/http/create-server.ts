// Routes from the contract. Each request takes the same steps in the same order; the version is looked at before the
// credential, the credential before the body is read.
import { Readable } from 'node:stream';
import { type Operation, readVersion, requestErrors, type Version } from '@berth/contract';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import type { Dependencies } from '../dependencies.ts';
import { type Caller, type ReadCall, type Registration, StreamedAnswer } from './call.ts';
import { answerClientError } from './client-errors.ts';
import { errorBody, sandboxErrorBody, toApiError } from './error-answer.ts';
import { readIdempotencyKey } from './idempotency.ts';
import { identify } from './identify.ts';
import { allowedMethods, prefix } from './known-paths.ts';
import { readInput } from './read-input.ts';
import type { RequestLog } from './request-log.ts';
import { runWrite } from './run-write.ts';

interface Address {
  Params: Record<string, string>;
  Querystring: Record<string, unknown>;
}

interface Passage {
  operation?: Operation;
  version?: Version;
  caller?: Caller;
}

declare module 'fastify' {
  interface FastifyRequest {
    passage: Passage;
  }
}

export function createServer(
  registrations: readonly Registration[],
  dependencies: Dependencies,
  log: RequestLog,
): FastifyInstance {
  const server = fastify({
    bodyLimit: dependencies.config.bodyLimitBytes,
    exposeHeadRoutes: false,
    genReqId: (request) => log.requestId(request.headers),
    routerOptions: { maxParamLength: 300 },
    return503OnClosing: true,
    forceCloseConnections: 'idle',
    clientErrorHandler: answerClientError,
    // An address that the router itself refuses passes no hook, so what those do is done here.
    frameworkErrors: (error, request, reply) => {
      request.passage = {};
      reply.header('x-request-id', request.id);
      sendError(error, request, reply, dependencies, log);
      log.answered(request, reply);
    },
  });
  const sendNotFound = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const methods = allowedMethods(registrations, request.url);
    if (methods.length > 0) reply.header('allow', methods.join(', '));
    const error = methods.length > 0 ? requestErrors.method_not_allowed() : requestErrors.route_not_found();
    return sendError(error, request, reply, dependencies, log);
  };
  server.decorateRequest('passage');
  acceptEmptyJson(server);
  server.addHook('onRequest', async (request, reply) => {
    request.passage = {};
    reply.header('x-request-id', request.id);
    // Before the body: nobody will read it, and methods that nobody serves have rules of their own about it.
    if (request.is404) return sendNotFound(request, reply);
  });
  server.addHook('onResponse', async (request, reply) => log.answered(request, reply));
  server.setErrorHandler((error, request, reply) => sendError(error, request, reply, dependencies, log));
  server.setNotFoundHandler((request, reply) => sendNotFound(request, reply));
  for (const registration of registrations) addRoute(server, registration, dependencies, log);
  return server;
}

/** Many clients name a content type on every request, also on those without a body. */
function acceptEmptyJson(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser('error', 'error');
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body.length === 0) done(null, undefined);
    else void parse(request, body.toString(), done);
  });
}

function addRoute(
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
      request.passage.operation = operation;
      const answer = readVersion(oneHeader(request, dependencies.headers.version));
      if ('reason' in answer) return reply.code(400).send({ error: 'invalid_api_version', message: answer.reason });
      request.passage.version = answer.version;
      request.passage.caller = await identify(operation.access, request, dependencies);
    },
    handler: async (request, reply) => {
      const answer = await run(registration, request, dependencies, log);
      // An operation that declares no answer sends no body.
      if (answer === undefined) return reply.send();
      if (!(answer instanceof StreamedAnswer))
        return reply.type('application/json; charset=utf-8').send(JSON.stringify(answer));
      return reply.type('application/json; charset=utf-8').send(Readable.from(answer.chunks, { objectMode: false }));
    },
  });
}

async function run(
  registration: Registration,
  request: FastifyRequest<Address>,
  dependencies: Dependencies,
  log: RequestLog,
): Promise<unknown> {
  const { operation } = registration;
  const { version, caller } = request.passage;
  if (version === undefined || caller === undefined) throw new Error('the steps before the handler did not run');
  const input = readInput(operation, version, { params: request.params, query: request.query, body: request.body });
  const call: ReadCall = Object.create(caller, {
    ...Object.getOwnPropertyDescriptors({
      ...input,
      dependencies,
      operation,
      version,
      database: dependencies.database,
      requestId: request.id,
      trace: log.trace(request),
    }),
  });
  if (registration.read !== undefined) return registration.read(call);
  const idempotent =
    operation.method === 'POST'
      ? readIdempotencyKey({
          header: request.headers['idempotency-key'],
          principal: call.principal.subject,
          workspaceId: placeOf(operation) === 'workspace' ? call.workspace.id : undefined,
          operation: operation.id,
          url: request.url,
          body: request.body,
        })
      : undefined;
  return runWrite(registration, call, idempotent);
}

const placeOf = ({ access }: Operation): 'workspace' | 'elsewhere' =>
  access.kind === 'workspace' || access.kind === 'workspaceInPath' ? 'workspace' : 'elsewhere';

const oneHeader = (request: FastifyRequest, name: string): string | undefined => {
  const value = request.headers[name.toLowerCase()];
  return Array.isArray(value) ? value.join(',') : value;
};

function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  dependencies: Dependencies,
  log: RequestLog,
): FastifyReply {
  const { operation, caller } = request.passage;
  const known = toApiError(error, operation?.bodyLimitBytes ?? dependencies.config.bodyLimitBytes);
  if (known.status >= 500) log.failed(request, known);
  if (known.status === 503) reply.header('retry-after', '1');
  if (known.status === 401) reply.header('www-authenticate', 'Bearer');
  reply.code(known.status).type('application/json; charset=utf-8');
  // Before the caller is known every operation refuses alike.
  if (operation?.errorForm !== 'sandbox' || caller === undefined) return reply.send(JSON.stringify(errorBody(known)));
  const place = {
    name: requestedName(request.body),
    workspace: caller.workspace.name,
    now: new Date(dependencies.now()),
  };
  return reply.send(JSON.stringify(sandboxErrorBody(known, place)));
}

function requestedName(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('metadata' in body)) return undefined;
  const { metadata } = body;
  if (typeof metadata !== 'object' || metadata === null || !('name' in metadata)) return undefined;
  return typeof metadata.name === 'string' ? metadata.name.slice(0, 256) : undefined;
}
