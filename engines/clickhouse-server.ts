// ClickHouse for development and tests: the real engine inside this process (chdb), behind the HTTP interface of its
// server, so that the product uses the same client and SQL as in production. Arguments: data folder, port.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type ChdbResult, drainPending, Session } from 'chdb';
import { type ClickhouseRequest, readBinaryInsert, readClickhouseRequest } from './clickhouse-request.ts';

const [dataFolder = '', port = ''] = process.argv.slice(2);

// Kept open while the process runs: the engine starts with the first session and ends with the last. It locks the
// folder, so a second process on the same data fails here.
const engine = new Session(dataFolder);

/** Uses one session per request: settings do not carry over to the next request, as with the real server. */
async function run({ statement, format, preparation }: ClickhouseRequest): Promise<ChdbResult> {
  const session = new Session(dataFolder);
  try {
    for (const step of preparation) await session.queryAsync(step);
    return await session.queryAsync(statement, { format });
  } finally {
    session.close();
  }
}

/** The engine takes rows in a binary format from a file only. */
async function insertBinary(address: string, insert: string, rows: Buffer): Promise<ChdbResult> {
  const folder = await mkdtemp(join(tmpdir(), 'clickhouse-'));
  try {
    const file = join(folder, 'rows.native');
    await writeFile(file, rows);
    const { format, preparation } = readClickhouseRequest(address, '');
    return await run({ statement: `${insert} SELECT * FROM file('${file}', Native)`, format, preparation });
  } finally {
    await rm(folder, { recursive: true });
  }
}

// Error codes that a client may want to distinguish from a failure of the server.
const badRequest = new Set([6, 26, 27, 36, 38, 41, 53, 62, 72, 117, 456, 457]);
const notFound = new Set([16, 46, 47, 50, 60, 73, 81, 115]);

function sendFailure(response: ServerResponse, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  const code = Number(/Code: (\d+)/.exec(message)?.[1] ?? 0);
  const status = badRequest.has(code) ? 400 : notFound.has(code) ? 404 : 500;
  response.writeHead(status, { 'content-type': 'text/plain; charset=UTF-8', 'x-clickhouse-exception-code': code });
  response.end(`${message}\n`);
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const address = request.url ?? '/';
  if (address === '/ping') {
    response.end('Ok.\n');
    return;
  }
  const body = await buffer(request);
  const insert = readBinaryInsert(address);
  const result = await (insert === undefined
    ? run(readClickhouseRequest(address, body.toString()))
    : insertBinary(address, insert, body));
  const summary = {
    read_rows: String(result.rowsRead),
    read_bytes: String(result.bytesRead),
    elapsed_ns: String(Math.round(result.elapsed * 1e9)),
  };
  response.writeHead(200, { 'x-clickhouse-summary': JSON.stringify(summary), 'x-clickhouse-timezone': 'UTC' });
  response.end(result.bytes());
}

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => sendFailure(response, error));
});
server.listen(Number(port), '127.0.0.1');

process.on('SIGTERM', () => {
  server.close(async () => {
    await drainPending();
    engine.close();
    process.exit(0);
  });
});
