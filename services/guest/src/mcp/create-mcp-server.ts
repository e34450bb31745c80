import { mcpServerInfo } from '@berth/contract/guest';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Call } from '../http/call.ts';
import { callTool } from './call-tool.ts';
import { tools } from './tools.ts';

// The SDK makes a validator for each server, to check what a user fills into a form of the server. This server has no
// forms, and a validator would cost more than the rest of the call.
const withoutForms = {
  getValidator: (): never => {
    throw new Error('This server asks its callers for nothing.');
  },
};

/** Offers tools only: no resources, no prompts. The low-level class, because the schemas of the tools are made here. */
export function createMcpServer(call: Call): Server {
  const offered = tools.filter((tool) => tool.isOffered(call.guest.settings));
  const server = new Server(mcpServerInfo, { capabilities: { tools: {} }, jsonSchemaValidator: withoutForms });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: offered.map(({ name, description, inputSchema, outputSchema }) => ({
      name,
      description,
      inputSchema,
      outputSchema,
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal }) =>
    callTool(offered, params.name, params.arguments ?? {}, call, signal),
  );
  return server;
}
