// Every operation that is served, each with what answers it.
import { executionHandlers } from './executions/handlers.ts';
import type { Registration } from './http/call.ts';
import { resourceHandlers } from './resources/handlers.ts';

export const handlers: readonly Registration[] = [...resourceHandlers, ...executionHandlers];
