import type { HandlerTable } from '../http/call.ts';

export const mcpHandlers = {
  mcp: () => import('./answer-mcp.ts').then(({ answerMcp }) => answerMcp),
  mcpStream: () => import('./refuse-stream.ts').then(({ refuseStream }) => refuseStream),
} satisfies HandlerTable;
