// Each POST gets its own server and transport, so that no answer can reach another caller, even if both use the same
// ids. No state is kept between two requests.
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { type Call, whenCallerLeaves } from '../http/call.ts';
import { Fault } from '../http/fault.ts';
import { readBody } from '../http/read-body.ts';
import { createMcpServer } from './create-mcp-server.ts';

const requiredTypes = ['application/json', 'text/event-stream'];
const passedHeaders = ['content-type', 'mcp-protocol-version'];

export async function answerMcp(call: Call): Promise<void> {
  refuseUnlessAcceptsBoth(call.request.headers.accept);
  const message = parsed(await readBody(call));
  const server = createMcpServer(call);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  const left = whenCallerLeaves(call);
  const ended = new Promise<undefined>((resolve) => {
    left.addEventListener('abort', () => void server.close().then(() => resolve(undefined)), { once: true });
  });
  if (left.aborted) return;
  const answer = await Promise.race([transport.handleRequest(transportRequest(call), { parsedBody: message }), ended]);
  if (answer !== undefined) await write(call, answer);
}

/**
 * The transport requires both types by name; wildcards are accepted here, since tools such as curl send nothing else.
 */
function refuseUnlessAcceptsBoth(accept: string | undefined): void {
  const given = (accept ?? '').split(',').map((range) => range.split(';', 1)[0]?.trim().toLowerCase() ?? '');
  const accepts = (type: string) => [type, `${type.split('/', 1)[0]}/*`, '*/*'].some((form) => given.includes(form));
  if (requiredTypes.every(accepts)) return;
  throw new Fault(400, `Send the header "Accept: ${requiredTypes.join(', ')}": an MCP client takes both.`);
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new Fault(400, 'The body is not valid JSON. Send one JSON-RPC message, or an array of them.');
  }
}

/** The body has been read, so the transport gets only the headers. */
function transportRequest({ request }: Call): Request {
  const headers = new Headers({ accept: requiredTypes.join(', ') });
  for (const name of passedHeaders) {
    const value = request.headers[name];
    if (typeof value === 'string') headers.set(name, value);
  }
  return new Request('http://sandbox/mcp', { method: 'POST', headers });
}

async function write({ response }: Call, answer: Response): Promise<void> {
  const bytes = Buffer.from(await answer.arrayBuffer());
  for (const [name, value] of answer.headers) response.setHeader(name, value);
  response.writeHead(answer.status, { 'content-length': bytes.length });
  response.end(bytes);
}
