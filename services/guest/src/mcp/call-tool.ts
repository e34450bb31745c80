import { type CallToolResult, ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import type { Call } from '../http/call.ts';
import { Fault } from '../http/fault.ts';
import type { Tool } from './tool.ts';

/** A failed tool call is an answer that the model reads and acts on. Only an unknown tool name is a protocol error. */
export async function callTool(
  tools: readonly Tool[],
  name: string,
  args: unknown,
  call: Call,
  left: AbortSignal,
): Promise<CallToolResult> {
  const tool = tools.find((offered) => offered.name === name);
  if (tool === undefined) {
    throw new McpError(ErrorCode.InvalidParams, `There is no tool ${name.slice(0, 100)}. tools/list names them all.`);
  }
  try {
    const answer = await tool.call(args, { guest: call.guest, caller: call.caller, left });
    return { content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: { ...answer } };
  } catch (error) {
    // An error after the caller left is not logged as a failure, and this text is never read.
    const text = left.aborted ? `The call of ${name} was given up.` : textOf(error, name, call);
    return { isError: true, content: [{ type: 'text', text }] };
  }
}

/** Never empty: some model APIs refuse a message without text. */
function textOf(error: unknown, name: string, call: Call): string {
  if (error instanceof Fault && error.message) return error.message;
  call.guest.log.failure(call, error);
  return `${name} failed inside the guest. Its log holds the reason under the request id ${call.caller.requestId}.`;
}
