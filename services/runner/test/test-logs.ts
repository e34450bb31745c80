// Test fixture: a container's log files as Docker writes and rotates them, and an api that stores the lines it
// receives.
import { appendFile, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LogBatch, type LogLine } from '@berth/contract/node';
import type { NodeClient } from '../src/node/node-client.ts';
import { readAnswer } from '../src/node/node-client.ts';

let clock = Date.parse('2026-01-02T03:04:05Z');

export class ContainerLog {
  readonly file: string;

  constructor(folder: string, container: string) {
    this.file = join(folder, `${container}-json.log`);
  }

  /** Writes as the engine does: pieces of 16 KB, the last with its line break. */
  async write(text: string, stream: 'stdout' | 'stderr' = 'stdout'): Promise<void> {
    const pieces = text.match(/[\s\S]{1,16384}/g) ?? [''];
    for (const [index, piece] of pieces.entries()) {
      await this.writeEntry(index === pieces.length - 1 ? `${piece}\n` : piece, stream);
    }
  }

  async writeEntry(log: string, stream: 'stdout' | 'stderr' = 'stdout'): Promise<void> {
    clock += 1;
    const time = new Date(clock).toISOString().replace('Z', '123456Z');
    await appendFile(this.file, `${JSON.stringify({ log, stream, time })}\n`);
  }

  async rotate(): Promise<void> {
    await rename(`${this.file}.1`, `${this.file}.2`).catch(() => {});
    await rename(this.file, `${this.file}.1`);
    await appendFile(this.file, '');
  }

  async remove(): Promise<void> {
    for (const name of [this.file, `${this.file}.1`, `${this.file}.2`]) await rm(name, { force: true });
  }
}

export interface StoringApi extends AsyncDisposable {
  /** Stored lines by sequence number. Each is stored once, as in the api. */
  readonly stored: Map<number, LogLine>;
  readonly batches: LogBatch[];
  status: number;
  texts(): string[];
  client: Pick<NodeClient, 'post'>;
}

export async function startStoringApi(): Promise<StoringApi> {
  const server = createServer(async (incoming, response) => {
    const batch = LogBatch.parse(JSON.parse(Buffer.concat(await incoming.toArray()).toString()));
    api.batches.push(batch);
    if (api.status === 200) for (const line of batch.lines) api.stored.set(line.sequence, line);
    response.writeHead(api.status).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const api: StoringApi = {
    stored: new Map(),
    batches: [],
    status: 200,
    texts: () => [...api.stored.values()].sort((a, b) => a.sequence - b.sequence).map(({ text }) => text),
    client: {
      post: (path, body) =>
        new Promise((resolve, reject) => {
          const outgoing = request({ host: '127.0.0.1', port, path, method: 'POST' });
          outgoing.once('error', reject);
          outgoing.once('response', (incoming) => readAnswer(incoming).then(resolve, reject));
          outgoing.end(JSON.stringify(body));
        }),
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return api;
}

export async function logFolders(): Promise<{ root: string; engine: string; state: string }> {
  const root = await mkdtemp(join(tmpdir(), 'berth-logs-'));
  const [engine, state] = [join(root, 'engine'), join(root, 'state')];
  await mkdir(engine);
  return { root, engine, state };
}
