import type { Handler } from '../http/call.ts';
import { Fault } from '../http/fault.ts';

/** This server never speaks first, so there is no stream to open. Clients take 405 for just that. */
export const refuseStream: Handler = () => {
  throw new Fault(405, 'This MCP server opens no streams. Send each message with POST /mcp.', {
    headers: { Allow: 'POST' },
  });
};
