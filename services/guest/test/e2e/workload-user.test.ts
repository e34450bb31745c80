// A sandbox with a workload user: every route acts as that account, and the kernel decides about access.
import { describe, expect, test } from 'vitest';
import { guestClient } from '../../../../tests/harness/guest-client.ts';
import { type GuestContainer, startGuestContainer } from '../../../../tests/harness/guest-container.ts';
import { runtimesOf } from '../../../../tests/harness/size.ts';
import { execInContainer } from './exec-in-container.ts';
import { useGuestDocker } from './guest-docker.ts';

const exitSetting = 78;
const prepare =
  'mkdir -p /root/deep; echo hidden-word > /root/deep/secret; chmod 700 /root /root/deep; chmod 600 /root/deep/secret';

const docker = useGuestDocker();

// The small size tests runc, where the machine's kernel decides. services/guest/test/helper-account.test.ts tests the
// helper's part under gVisor.
describe.each(runtimesOf('runc'))('under %s', (runtime) => {
  async function started(args: readonly string[]): Promise<GuestContainer> {
    const container = await startGuestContainer(docker.url, { image: docker.image, runtime, args });
    await execInContainer(docker.url, container.id, prepare);
    return container;
  }

  /** Every route that reaches files, aimed at files that only root may use. */
  const attempts: readonly [string, (url: string) => Promise<Response>][] = [
    ['read', (url) => fetch(`${url}/filesystem//root/deep/secret`)],
    ['download', (url) => fetch(`${url}/filesystem//root/deep/secret?download=true`)],
    ['list', (url) => fetch(`${url}/filesystem/tree/root/deep`)],
    ['find', (url) => fetch(`${url}/filesystem-find//root?patterns=secret`)],
    ['fuzzy search', (url) => fetch(`${url}/filesystem-search//root?query=secret`)],
    ['content search', (url) => fetch(`${url}/filesystem-content-search//root?query=hidden-word`)],
    ['watch', (url) => fetch(`${url}/watch/filesystem//root/deep`, { signal: AbortSignal.timeout(5_000) })],
    ['command', (url) => post(url, '/process', { command: 'cat /root/deep/secret', waitForCompletion: true })],
    [
      'tool',
      (url) =>
        post(url, '/mcp', {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'fsReadFile', arguments: { path: '/root/deep/secret' } },
        }),
    ],
    ['write', (url) => put(url, '/filesystem//root/new.txt', { content: 'x' })],
    ['write many', (url) => put(url, '/filesystem/tree/root/tree', { files: { a: 'x' } })],
    ['delete', (url) => fetch(`${url}/filesystem//root/deep?recursive=true`, { method: 'DELETE' })],
  ];

  test('R-50 as the workload user no route reads, lists, finds, writes or deletes what is root’s', async () => {
    await using container = await started(['--user', 'node']);
    for (const [name, attempt] of attempts) {
      const text = await attempt(container.url).then(
        (response) => response.text(),
        () => '',
      );
      expect(text, name).not.toContain('hidden-word\\n"');
      expect(
        text.includes('"content":"hidden-word') ||
          text.includes('"path":"deep/secret"') ||
          text.includes('"name":"secret"'),
        `${name}: ${text}`,
      ).toBe(false);
    }
    const left = await execInContainer(
      docker.url,
      container.id,
      'find /root -newer /etc/hostname -type f; cat /root/deep/secret',
    );
    expect(left).toContain('hidden-word');
    expect(left).not.toContain('new.txt');
    const { stdout } = await guestClient(container.url).run('id -un; echo $HOME $USER; touch mine && stat -c %U mine', {
      workingDir: '/tmp',
    });
    expect(stdout).toBe('node\n/home/node node\nnode\n');
    await put(container.url, '/filesystem//tmp/by-route.txt', { content: 'x' });
    expect(await execInContainer(docker.url, container.id, 'stat -c %U /tmp/by-route.txt')).toContain('node');
  });

  test('R-50 without one the same routes act as root: the refusals above are the account’s', async () => {
    await using container = await started([]);
    const [, read] = attempts[0] ?? [];
    expect(await (await read?.(container.url))?.json()).toMatchObject({ content: 'hidden-word\n' });
    expect((await guestClient(container.url).run('id -un')).stdout).toBe('root\n');
  });

  test.each(['nobody-of-that-name', 'root', '0'])('R-50 it does not start as "%s"', async (user) => {
    await using container = await startGuestContainer(docker.url, {
      image: docker.image,
      runtime,
      args: ['--user', user],
      withoutWaiting: true,
    });
    expect(await container.ended()).toBe(exitSetting);
    expect(await container.output()).toMatch(/Name (one|another)/);
  });
});

const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const send = (method: string) => (url: string, path: string, body: unknown) =>
  fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) });
const post = send('POST');
const put = send('PUT');
