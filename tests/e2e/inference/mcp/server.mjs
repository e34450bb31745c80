// An MCP server by streamable HTTP, with sessions that live in this process: a request of a session that began in
// another instance gets 404.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { env } from 'node:process';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

const { PORT: port, HOST: host } = env;
const instance = randomUUID();
const sessions = new Map();
const said = (text) => ({ content: [{ type: 'text', text: String(text) }] });

function createMcp() {
  const mcp = new McpServer({ name: 'sessions', version: '1.0.0' }, { capabilities: { logging: {} } });
  let calls = 0;
  let goOn = () => {};
  mcp.registerTool('where', { description: 'Which instance this is.' }, () => said(instance));
  mcp.registerTool('count', { description: 'Calls in this session.' }, () => {
    calls += 1;
    return said(calls);
  });
  mcp.registerTool(
    'work',
    { description: 'Tells of its progress three times, and goes on when `go-on` is called.' },
    async ({ _meta, sendNotification }) => {
      for (let progress = 1; progress <= 3; progress += 1) {
        const next = new Promise((resolve) => {
          goOn = resolve;
        });
        await sendNotification({
          method: 'notifications/progress',
          params: { progressToken: _meta.progressToken, progress, total: 3 },
        });
        await next;
      }
      return said('done');
    },
  );
  mcp.registerTool('go-on', { description: 'Lets `work` go on.' }, () => {
    goOn();
    return said('gone on');
  });
  mcp.registerTool('announce', { description: 'Says something beside the answer.' }, () => {
    mcp.server.sendLoggingMessage({ level: 'info', data: 'announced' });
    return said('said');
  });
  return mcp;
}

async function begin() {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => sessions.set(id, transport),
    onsessionclosed: (id) => sessions.delete(id),
  });
  await createMcp().connect(transport);
  return transport;
}

const server = createServer(async (request, response) => {
  if (request.url === '/sessions') return response.end(JSON.stringify({ instance, sessions: sessions.size }));
  if (request.url !== '/mcp') return response.writeHead(404).end();
  const id = request.headers['mcp-session-id'];
  const transport = id === undefined ? await begin() : sessions.get(id);
  if (transport === undefined) return response.writeHead(404).end();
  return transport.handleRequest(request, response);
});

process.once('SIGTERM', () => server.close());
server.listen(Number(port), host);
