// The messages of the Model Context Protocol that a server with tools needs.
import { type Tool, tools } from './tools.ts';

interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: Params;
}

const versions = ['2025-06-18', '2025-03-26'];

type Params = Readonly<Record<string, unknown>>;

const initialize = ({ protocolVersion }: Params) => ({
  protocolVersion: versions.find((version) => version === protocolVersion) ?? versions[0],
  capabilities: { tools: {} },
  serverInfo: { name: process.env.SERVER_NAME || 'mcp-server', version: '0.1.0' },
});

const methods = new Map<string, (params: Params) => unknown>([
  ['initialize', initialize],
  ['ping', () => ({})],
  ['tools/list', () => ({ tools: tools.map(({ run: _, ...described }) => described) })],
  ['tools/call', callTool],
]);

const isArguments = (value: unknown): value is Params => typeof value === 'object' && value !== null;

async function callTool({ name, arguments: given }: Params): Promise<object> {
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool === undefined) return failed(`There is no tool named ${String(name)}.`);
  return run(tool, isArguments(given) ? given : {});
}

async function run(tool: Tool, given: Params): Promise<object> {
  try {
    return { content: [{ type: 'text', text: await tool.run(given) }] };
  } catch (error) {
    return failed(error instanceof Error ? error.message : 'The tool failed.');
  }
}

const failed = (text: string) => ({ content: [{ type: 'text', text }], isError: true });

const fault = (id: unknown, code: number, message: string) => ({
  jsonrpc: '2.0',
  id: id ?? null,
  error: { code, message },
});

/** Undefined for notifications, which are not answered. */
export async function answer(body: string): Promise<object | undefined> {
  let message: Message;
  try {
    message = JSON.parse(body);
  } catch {
    return fault(null, -32_700, 'The body is not JSON.');
  }
  if (typeof message !== 'object' || message === null || typeof message.method !== 'string')
    return fault(null, -32_600, 'Send one JSON-RPC message.');
  if (message.id === undefined) return undefined;
  const method = methods.get(message.method);
  if (method === undefined) return fault(message.id, -32_601, `There is no method ${message.method}.`);
  return { jsonrpc: '2.0', id: message.id, result: await method(message.params ?? {}) };
}
