import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { askModel } from './ask-model.ts';
import { Conversations } from './conversation.ts';

const { HOST = '0.0.0.0', PORT = '8000', MODEL_URL } = process.env;
const conversations = new Conversations();

interface Answer {
  readonly status: number;
  readonly body: object;
}

function threadOf(headers: IncomingHttpHeaders): string | undefined {
  const name = Object.keys(headers).find((header) => header.endsWith('-thread-id'));
  const value = name === undefined ? undefined : headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function inputsOf(body: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    const inputs = (parsed as { inputs?: unknown } | null)?.inputs;
    return typeof inputs === 'string' ? inputs : undefined;
  } catch {
    return undefined;
  }
}

async function answer(body: string, thread: string | undefined): Promise<Answer> {
  const inputs = inputsOf(body);
  if (inputs === undefined) return { status: 400, body: { error: 'Send {"inputs": "<text>"} as JSON.' } };
  if (!MODEL_URL) return { status: 503, body: { error: 'Set MODEL_URL to an address that takes chat completions.' } };
  const messages = [...conversations.read(thread), { role: 'user' as const, content: inputs }];
  try {
    const output = await askModel(MODEL_URL, messages);
    conversations.write(thread, [...messages, { role: 'assistant', content: output }]);
    return { status: 200, body: { output } };
  } catch (error) {
    console.error(error);
    return { status: 502, body: { error: 'The model did not answer. See the log of the agent.' } };
  }
}

const server = createServer(async (request, response) => {
  const { status, body } =
    request.method === 'POST'
      ? await answer(await text(request), threadOf(request.headers))
      : { status: request.url === '/health' ? 200 : 405, body: { status: 'ok' } };
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
});

server.listen(Number(PORT), HOST, () => console.log(`listening on ${HOST}:${PORT}`));
process.once('SIGTERM', () => server.close());
