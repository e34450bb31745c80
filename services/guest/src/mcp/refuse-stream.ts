import type { Handler } from '../http/call.ts';
import { Fault } from '../http/fault.ts';

/** This server never sends a message first, so there is no stream to open. Clients understand 405 as exactly that. */
export const refuseStream: Handler = () => {
  throw new Fault(405, 'This MCP server opens no streams. Send each message with POST /mcp.', {
    headers: { Allow: 'POST' },
  });
};
