// Maps routes to handlers. Each feature loads on the first call of one of its routes.
import { codegenHandlers } from './codegen/handlers.ts';
import { controlHandlers } from './control/handlers.ts';
import { filesHandlers } from './files/handlers.ts';
import type { HandlerTable } from './http/call.ts';
import { mcpHandlers } from './mcp/handlers.ts';
import { portsHandlers } from './ports/handlers.ts';
import { processesHandlers } from './processes/handlers.ts';
import { searchHandlers } from './search/handlers.ts';
import { systemHandlers } from './system/handlers.ts';
import { terminalHandlers } from './terminal/handlers.ts';
import { uploadsHandlers } from './uploads/handlers.ts';
import { watchHandlers } from './watch/handlers.ts';

export const handlers: HandlerTable = {
  ...filesHandlers,
  ...uploadsHandlers,
  ...searchHandlers,
  ...watchHandlers,
  ...processesHandlers,
  ...portsHandlers,
  ...terminalHandlers,
  ...mcpHandlers,
  ...codegenHandlers,
  ...systemHandlers,
  ...controlHandlers,
};
