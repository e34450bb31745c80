// Terminals in containers, as in a sandbox: as root and as a workload user.
import { describe, expect, it } from 'vitest';
import { startGuestContainer } from '../../../../tests/harness/guest-container.ts';
import { runtimesOf } from '../../../../tests/harness/size.ts';
import { connectTerminal } from '../../../../tests/harness/terminal-client.ts';
import { useGuestDocker } from './guest-docker.ts';

const docker = useGuestDocker();

// The small size tests runc; under gVisor, services/guest/test/terminal.test.ts runs (suites.test.ts).
describe.each(runtimesOf('runc'))('on %s', (runtime) => {
  it('a terminal has a size, job control and the image’s own shell; its exit takes background jobs along', async () => {
    await using container = await startGuestContainer(docker.url, { image: docker.image, runtime });
    await using client = await connectTerminal(container.url, { cols: 132, rows: 43 });
    client.type('stty size; echo shell-$0; sleep 600 & echo id-$(id -u)\r');
    await client.until('43 132');
    await client.until('shell-/bin/bash');
    await client.until('id-0');
    client.resize(90, 30);
    client.type('stty size\r');
    await client.until('30 90');
    client.type('exit\r');
    expect(await client.closed).toBe(1000);
    await using again = await connectTerminal(container.url, { shell: '/bin/sh', sessionId: 'look' });
    again.type('while cat /proc/[0-9]*/cmdline | tr "\\0" " " | grep -q "[s]leep 600"; do sleep 0.1; done\r');
    again.type('echo "left-$((1-1))-"\r');
    await again.until('left-0-');
  });

  it('R-50 it runs as the workload user', async () => {
    await using container = await startGuestContainer(docker.url, {
      image: docker.image,
      runtime,
      args: ['--user', '1000:1000'],
    });
    await using client = await connectTerminal(container.url, { shell: '/bin/sh' });
    client.type('echo id-$(id -u):$(id -g)\r');
    await client.until('id-1000:1000');
  });
});
