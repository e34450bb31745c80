import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Dependencies } from '../dependencies.ts';
import { errorBody, sandboxErrorBody, toApiError } from './error-answer.ts';
import './request-context.ts';
import type { RequestLog } from './request-log.ts';

export function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  dependencies: Dependencies,
  log: RequestLog,
): FastifyReply {
  const { operation, caller } = request.requestContext;
  const { bodyLimitBytes, statementSeconds } = dependencies.config;
  const known = toApiError(error, operation?.bodyLimitBytes ?? bodyLimitBytes, statementSeconds);
  if (known.status >= 500) log.failed(request, known);
  const { refusedBy, retryAfterSeconds } = known.details;
  if (typeof refusedBy === 'string') log.refused(refusedBy);
  if (known.status === 503) reply.header('retry-after', '1');
  else if (typeof retryAfterSeconds === 'number') reply.header('retry-after', String(Math.ceil(retryAfterSeconds)));
  if (known.status === 401) reply.header('www-authenticate', 'Bearer');
  reply.code(known.status).type('application/json; charset=utf-8');
  // Until the caller is identified, every operation uses the common error format.
  if (operation?.errorForm !== 'sandbox' || caller === undefined) return reply.send(JSON.stringify(errorBody(known)));
  const subject = {
    name: requestedName(request.body),
    workspace: caller.workspace.name,
    now: new Date(dependencies.now()),
  };
  return reply.send(JSON.stringify(sandboxErrorBody(known, subject)));
}

function requestedName(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('metadata' in body)) return undefined;
  const { metadata } = body;
  if (typeof metadata !== 'object' || metadata === null || !('name' in metadata)) return undefined;
  return typeof metadata.name === 'string' ? metadata.name.slice(0, 256) : undefined;
}
