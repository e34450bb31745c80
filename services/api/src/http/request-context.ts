// State of a request on its way to the handler; each step adds its part.
import type { Operation, Version } from '@berth/contract';
import type { Caller } from './call.ts';

interface RequestContext {
  operation?: Operation;
  version?: Version;
  caller?: Caller;
}

declare module 'fastify' {
  interface FastifyRequest {
    requestContext: RequestContext;
  }
}
