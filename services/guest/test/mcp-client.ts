import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';

/** The official client, connected to a guest. It checks every structured answer against the tool's published schema. */
export async function connectMcpClient(url: string) {
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)) as never);
  // The client checks answers only of tools that it has seen listed.
  const { tools } = await client.listTools();
  const call = async (name: string, args: Record<string, unknown> = {}) =>
    (await client.callTool({ name, arguments: args }, undefined, { timeout: 90_000 })) as CallToolResult;
  return {
    client,
    tools,
    /** The structured answer of a tool. Throws when the tool failed. */
    async answer(name: string, args: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
      const result = await call(name, args);
      const [content] = result.content;
      if (result.isError || content?.type !== 'text') throw new Error(`${name}: ${JSON.stringify(result.content)}`);
      if (content.text !== JSON.stringify(result.structuredContent)) throw new Error(`${name}: the text differs`);
      return result.structuredContent ?? {};
    },
    /** The text of a failed tool call. Throws when the call did not fail, or gave no text. */
    async failure(name: string, args: Record<string, unknown> = {}): Promise<string> {
      const result = await call(name, args);
      const [content] = result.content;
      if (!result.isError || content?.type !== 'text' || content.text.trim() === '')
        throw new Error(`${name} should fail with a text: ${JSON.stringify(result)}`);
      return content.text;
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
