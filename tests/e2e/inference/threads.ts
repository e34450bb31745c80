// Agents with memory per thread, tested with the example `thread-memory`.
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { buildImage } from '../../../engines/build-image.ts';
import { agent, clientOf, settled } from '../../harness/workloads.ts';
import { headerOf } from './caller.ts';
import { echo, type Site } from './site.ts';

const image = 'berth-thread-memory:latest';
const folder = fileURLToPath(new URL('../../../examples/thread-memory', import.meta.url));

export async function prepareThreads({ fleet, dockerUrl }: Site): Promise<void> {
  await buildImage(dockerUrl, image, folder);
  const client = clientOf(fleet);
  await client.post('/agents', agent('memory', { ...echo, image }));
  await client.post('/functions', agent('echo', echo));
  for (const path of ['/agents/memory', '/functions/echo']) await settled(client, path, ['DEPLOYED']);
}

export function threadTests(site: () => Site): void {
  const tell = async (inputs: string, thread?: string) => {
    const { status, body } = await site().call('/main/agents/memory', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(thread === undefined ? {} : { 'x-service-thread-id': thread }),
      },
      body: JSON.stringify({ inputs }),
    });
    expect(status).toBe(200);
    return body.remembered;
  };

  test('an agent remembers within a thread', async () => {
    expect(await tell('one', 'first')).toEqual([]);
    expect(await tell('two', 'first')).toEqual(['one']);
    expect(await tell('three', 'first')).toEqual(['one', 'two']);
  });

  test('without a thread it remembers nothing', async () => {
    expect(await tell('one')).toEqual([]);
    expect(await tell('two')).toEqual([]);
    expect(await tell('three', '')).toEqual([]);
    expect(await tell('four', '')).toEqual([]);
  });

  test('two threads are apart', async () => {
    expect(await tell('of a', 'a')).toEqual([]);
    expect(await tell('of b', 'b')).toEqual([]);
    expect(await tell('more of a', 'a')).toEqual(['of a']);
    expect(await tell('more of b', 'b')).toEqual(['of b']);
  });

  test('the thread id does not reach a function', async () => {
    const headers = { 'x-service-thread-id': 'thread-7', 'x-other': 'kept' };
    const { status, body } = await site().call('/main/functions/echo/x', { headers });
    expect([status, headerOf(body.headers, 'x-other')]).toEqual([200, 'kept']);
    expect(headerOf(body.headers, 'x-service-thread-id')).toBeUndefined();
  });
}
