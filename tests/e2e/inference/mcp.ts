// MCP servers as the official client sees them.
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { CallToolResultSchema, LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, test, vi } from 'vitest';
import { buildImage } from '../../../engines/build-image.ts';
import { isFull } from '../../harness/size.ts';
import { agent, clientOf, instancesOf, settled } from '../../harness/workloads.ts';
import { copyPackages } from './copy-packages.ts';
import { echo, type Site } from './site.ts';

const image = 'berth-mcp:latest';
const source = dirname(fileURLToPath(new URL('./mcp/server.mjs', import.meta.url)));

export async function prepareMcp({ fleet, dockerUrl }: Site): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-mcp-'));
  try {
    await cp(source, folder, { recursive: true });
    await copyPackages('@modelcontextprotocol/sdk', folder);
    await buildImage(dockerUrl, image, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const client = clientOf(fleet);
  await client.post('/functions', agent('tools', { ...echo, image, minScale: 2 }));
  await settled(client, '/functions/tools', ['DEPLOYED']);
  const bothReady = async () => {
    const states = (await instancesOf(fleet, 'tools')).map(({ state }) => state);
    expect(states).toEqual(['ready', 'ready']);
  };
  await vi.waitFor(bothReady, { timeout: 30_000, interval: 100 });
}

export function mcpTests(site: () => Site): void {
  const begin = async () => {
    const { url, fleet } = site();
    const transport = new StreamableHTTPClientTransport(new URL(`${url}/main/functions/tools/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${fleet.key}` } },
    });
    const client = new Client({ name: 'e2e', version: '1.0.0' });
    await client.connect(transport as Transport);
    return { client, transport };
  };

  const call = async (client: Client, name: string): Promise<string> => {
    const { content } = await client.request({ method: 'tools/call', params: { name } }, CallToolResultSchema);
    return content[0]?.type === 'text' ? content[0].text : '';
  };

  test('the official client begins a session, lists and calls tools, and ends it', async () => {
    const { client, transport } = await begin();
    expect(client.getServerVersion()).toEqual({ name: 'sessions', version: '1.0.0' });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(['announce', 'count', 'go-on', 'where', 'work']);
    expect([await call(client, 'count'), await call(client, 'count')]).toEqual(['1', '2']);
    await transport.terminateSession();
    await client.close();
    const open = await Promise.all(Array.from({ length: 8 }, () => site().call('/main/functions/tools/sessions')));
    expect(open.map(({ body }) => body.sessions)).toEqual(open.map(() => 0));
  });

  test('progress arrives while the call is under way', async () => {
    const { client } = await begin();
    const arrived: number[] = [];
    const told: Promise<unknown>[] = [];
    // The tool continues only after a `go-on` call, which the test sends when the progress has arrived.
    await client.callTool({ name: 'work' }, undefined, {
      onprogress: ({ progress }) => {
        arrived.push(progress);
        told.push(call(client, 'go-on'));
      },
    });
    expect(arrived).toEqual([1, 2, 3]);
    await Promise.all(told);
    await client.close();
  });

  test('messages that the server starts by itself arrive on their own stream', async () => {
    const { client } = await begin();
    const { promise: heard, resolve } = Promise.withResolvers<unknown>();
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => resolve(params.data));
    // The client opens its stream after it has connected; by the protocol's rules, earlier messages are lost.
    for (let round = 0; round < 20; round += 1) {
      await call(client, 'announce');
      if ((await Promise.race([heard, new Promise((later) => setTimeout(later, 100, 'nothing'))])) !== 'nothing') break;
    }
    expect(await Promise.race([heard, new Promise((later) => setTimeout(later, 2_000, 'nothing'))])).toBe('announced');
    await client.close();
  });

  test('a session stays on one instance, and sessions spread over both', async () => {
    const sessions = await Promise.all(Array.from({ length: 24 }, begin));
    const places = await Promise.all(
      sessions.map(async ({ client }) => {
        const met = new Set<string>();
        for (let round = 0; round < (isFull ? 20 : 6); round += 1) met.add(await call(client, 'where'));
        expect(await call(client, 'count')).toBe('1');
        return [...met];
      }),
    );
    expect(places.map((met) => met.length)).toEqual(places.map(() => 1));
    // Chance alone would put all sessions on one instance once in eight million runs.
    expect(new Set(places.flat()).size).toBe(2);
    await Promise.all(sessions.map(({ client }) => client.close()));
  });
}
