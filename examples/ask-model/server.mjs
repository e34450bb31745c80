// An agent that asks a model of its workspace, with a Berth key and no key of the provider. The answer of the model is
// passed on word by word.
import { createServer } from 'node:http';
import { env } from 'node:process';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

const { HOST: host = '0.0.0.0', PORT: port = '8000', MODEL_URL: modelUrl, MODEL_KEY: key } = env;
if (!modelUrl || !key)
  throw new Error('Set MODEL_URL to the address of a model, and MODEL_KEY to a key with models:call.');
const mostLength = 10_000;
const system = 'Answer in one short paragraph.';

function inputsOf(body) {
  try {
    const { inputs } = JSON.parse(body);
    return typeof inputs === 'string' && inputs.length <= mostLength ? inputs : undefined;
  } catch {
    return undefined;
  }
}

/** Words of a chat as the model says them. */
async function* ask(inputs, signal) {
  const messages = [
    { role: 'system', content: system },
    { role: 'user', content: inputs },
  ];
  const answer = await fetch(`${modelUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ messages, stream: true }),
    signal,
  });
  if (!answer.ok) throw new Error(`The model answered ${answer.status}: ${await answer.text()}`);
  for await (const line of createInterface({ input: Readable.fromWeb(answer.body) })) {
    if (!line.startsWith('data: ') || line === 'data: [DONE]') continue;
    yield JSON.parse(line.slice('data: '.length)).choices[0]?.delta.content ?? '';
  }
}

const server = createServer(async (request, response) => {
  if (request.method !== 'POST') {
    response.writeHead(request.url === '/health' ? 200 : 405).end('Send POST {"inputs": "<text>"}.\n');
    return;
  }
  const inputs = inputsOf(await text(request));
  if (inputs === undefined) {
    response.writeHead(400).end(`Send {"inputs": "<text>"} of at most ${mostLength} characters as JSON.\n`);
    return;
  }
  // When the caller leaves, the model stops too: nobody pays for words that nobody reads.
  const left = new AbortController();
  response.once('close', () => left.abort());
  try {
    for await (const word of ask(inputs, left.signal)) {
      if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' });
      response.write(word);
    }
    response.end();
  } catch (error) {
    if (response.headersSent) response.destroy();
    else response.writeHead(502).end(`${error.message}\n`);
  }
});

process.once('SIGTERM', () => server.close());
server.listen(Number(port), host);
