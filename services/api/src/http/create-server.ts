// The HTTP server: one route per operation, and one response for unknown addresses and methods.
import { createPages, requestErrors } from '@berth/contract';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import type { Dependencies } from '../dependencies.ts';
import type { Registration } from './call.ts';
import { answerClientError } from './client-errors.ts';
import { allowedMethods } from './known-paths.ts';
import type { RequestLog } from './request-log.ts';
import { sendError } from './send-error.ts';
import { serveOperation } from './serve-operation.ts';

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
    // Fastify runs no hooks for a URL that the router itself rejects, so this handler does their work.
    frameworkErrors: (error, request, reply) => {
      request.requestContext = {};
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
  const pages = createPages(dependencies.config.browserOrigins, dependencies.config.brand);
  server.decorateRequest('requestContext');
  acceptEmptyJson(server);
  server.addHook('onRequest', async (request, reply) => {
    request.requestContext = {};
    reply.header('x-request-id', request.id);
    const { origin, 'access-control-request-method': requestMethod } = request.headers;
    const page = pages({ method: request.method, origin, requestMethod });
    if (page !== undefined) reply.headers(page.headers).header('vary', 'Origin');
    if (page?.preflight !== undefined) return reply.code(204).headers(page.preflight).send();
    dependencies.callers.countAddress(request.socket.remoteAddress, [request.headers['x-forwarded-for'] ?? []].flat());
    // Refuses before the body is parsed: no handler would use the body, and methods without a route have their own
    // rules about bodies.
    if (request.is404) return sendNotFound(request, reply);
  });
  closeAnswered(server);
  server.addHook('onResponse', async (request, reply) => log.answered(request, reply));
  server.setErrorHandler((error, request, reply) => sendError(error, request, reply, dependencies, log));
  server.setNotFoundHandler((request, reply) => sendNotFound(request, reply));
  for (const registration of registrations) serveOperation(server, registration, dependencies, log);
  return server;
}

/** A connection that is answered while the server closes would stay open, and the server would wait for its client. */
function closeAnswered(server: FastifyInstance): void {
  let isClosing = false;
  server.addHook('preClose', async () => {
    isClosing = true;
  });
  server.addHook('onSend', async (_, reply) => {
    if (isClosing) reply.header('connection', 'close');
  });
}

/** Many clients send a JSON content type on every request, even without a body. */
function acceptEmptyJson(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser('error', 'error');
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body.length === 0) done(null, undefined);
    else void parse(request, body.toString(), done);
  });
}
