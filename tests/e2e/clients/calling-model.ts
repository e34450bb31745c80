// Stand-in for a model of a third party, behind the chat form of OpenAI: it calls one tool, and ends its answer when it has the
// result of the tool.
import { answerEvents, answerJson, ProviderStandIn } from '../../harness/provider-stand-in.ts';

export interface ToolCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** The last words of the model. */
export const lastWords = 'The tool has answered.';

interface ChatRequest {
  readonly stream?: boolean;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

const requestIn = ({ body }: { readonly body: string }): ChatRequest => JSON.parse(body);

export async function startCallingModel({ name, input }: ToolCall) {
  const call = { index: 0, id: 'call-1', type: 'function', function: { name, arguments: JSON.stringify(input) } };
  const standIn = await ProviderStandIn.start((received, response) => {
    const { stream, messages } = requestIn(received);
    const hasResult = messages.some(({ role }) => role === 'tool');
    const said = hasResult ? { content: lastWords } : { content: null, tool_calls: [call] };
    const message = { role: 'assistant', ...said };
    const chat = { id: 'chat-1', created: 1, model: 'stand-in' };
    const choice = { index: 0, finish_reason: hasResult ? 'stop' : 'tool_calls' };
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const answer = stream
      ? answerEvents([
          `data: ${JSON.stringify({ ...chat, object: 'chat.completion.chunk', choices: [{ ...choice, delta: message }] })}`,
          'data: [DONE]',
        ])
      : answerJson({ ...chat, object: 'chat.completion', choices: [{ ...choice, message }], usage });
    return answer(received, response);
  });
  return {
    url: `${standIn.url}/v1`,
    /** Names of the tools that the program offered. */
    offered: () => requestIn(standIn.last).tools?.map((tool) => tool.function.name) ?? [],
    /** What the tool answered. */
    result: () => JSON.stringify(requestIn(standIn.last).messages.filter(({ role }) => role === 'tool')),
    [Symbol.asyncDispose]: () => standIn[Symbol.asyncDispose](),
  };
}
