// An agent that remembers the inputs of each thread. A header, which the platform passes on to agents, names the
// thread. A request without it starts without memory and stores nothing.
import { createServer } from 'node:http';
import { env } from 'node:process';
import { text } from 'node:stream/consumers';

const { HOST: host = '0.0.0.0', PORT: port = '8000', THREAD_ID_HEADER: header = 'X-Service-Thread-Id' } = env;
const mostThreads = 1_000;
const mostTold = 50;
const mostLength = 10_000;

/** Inputs by thread; the least recently used thread comes first. */
const threads = new Map();

const recall = (thread) => threads.get(thread) ?? [];

function remember(thread, told) {
  threads.delete(thread);
  threads.set(thread, told.slice(-mostTold));
  if (threads.size > mostThreads) threads.delete(threads.keys().next().value);
}

function inputsOf(body) {
  try {
    const { inputs } = JSON.parse(body);
    return typeof inputs === 'string' && inputs.length <= mostLength ? inputs : undefined;
  } catch {
    return undefined;
  }
}

function answer(body, thread) {
  const inputs = inputsOf(body);
  if (inputs === undefined)
    return { status: 400, body: { error: `Send {"inputs": "<text>"} of at most ${mostLength} characters as JSON.` } };
  const remembered = thread === undefined ? [] : recall(thread);
  if (thread !== undefined) remember(thread, [...remembered, inputs]);
  const output = remembered.length === 0 ? 'This is the first I hear.' : `Before, you said: ${remembered.join(' | ')}`;
  return { status: 200, body: { output, remembered } };
}

const server = createServer(async (request, response) => {
  const thread = request.headers[header.toLowerCase()] || undefined;
  const { status, body } =
    request.method === 'POST'
      ? answer(await text(request), thread)
      : { status: request.url === '/health' ? 200 : 405, body: { usage: 'POST {"inputs": "<text>"}' } };
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
});

process.once('SIGTERM', () => server.close());
server.listen(Number(port), host);
