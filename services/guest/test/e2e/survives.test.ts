// The guest may be killed at any moment: processes, their output, their exit codes and their keepAlive flags survive.

import { describe, expect, test } from 'vitest';
import { guestClient } from '../../../../tests/harness/guest-client.ts';
import { startGuestContainer } from '../../../../tests/harness/guest-container.ts';
import { isFull, runtimesOf } from '../../../../tests/harness/size.ts';
import { useGuestDocker } from './guest-docker.ts';
import { killGuest } from './kill-guest.ts';

const killCount = isFull ? 50 : 5;
const processCount = 20;

const docker = useGuestDocker();

// The small size tests runc; under gVisor, services/guest/test/process-lifecycle.test.ts kills a guest.
describe.each(runtimesOf('runc'))('under %s', (runtime) => {
  test(`R-09 R-19 R-23 killed ${killCount} times under ${processCount} processes, nothing of them is lost`, {
    timeout: 900_000,
  }, async () => {
    await using container = await startGuestContainer(docker.url, { image: docker.image, runtime, memoryMb: 1_024 });
    const client = guestClient(container.url);
    // Each process prints numbered lines on both streams until /tmp/enough exists, then ends with its own exit code.
    // gVisor takes most of two cores to start a hundred programs a second: a longer pause leaves CPU time for the
    // guest.
    const pause = runtime === 'runc' ? 0.02 : 0.2;
    const command = `i=0; while [ ! -e /tmp/enough ]; do i=$((i+1)); echo "out $i"; echo "err $i" >&2; sleep ${pause}; done; exit $CODE`;
    const started = await Promise.all(
      Array.from({ length: processCount }, (_, index) =>
        client.start({
          command,
          name: `worker-${index}`,
          keepAlive: index % 2 === 0,
          timeout: 0,
          env: { CODE: String(index) },
        }),
      ),
    );
    for (let kill = 0; kill < killCount; kill += 1) {
      await killGuest(docker.url, container);
      // The request follows the kill at once: the helper holds the socket, so the answer is late but never refused.
      const listed = await client.json<{ name: string; status: string; keepAlive: boolean }[]>('GET', '/process');
      const workers = listed.filter(({ name }) => name.startsWith('worker-'));
      expect(workers.map(({ status }) => status)).toEqual(started.map(() => 'running'));
      expect(workers.filter(({ keepAlive }) => keepAlive)).toHaveLength(processCount / 2);
    }
    await client.json('PUT', '/filesystem/%2Ftmp%2Fenough', { content: '' });
    for (const [index, { pid }] of started.entries()) {
      for await (const _ of client.lines(`/process/${pid}/logs/stream`)) {
        // The stream ends with the process.
      }
      const ended = await client.process(pid);
      expect(ended).toMatchObject({ status: index === 0 ? 'completed' : 'failed', exitCode: index });
      const logs = await client.json<{ stdout: string; stderr: string }>('GET', `/process/${pid}/logs`);
      const numbered = (text: string, word: string) =>
        text
          .trim()
          .split('\n')
          .every((line, at) => line === `${word} ${at + 1}`);
      expect(numbered(logs.stdout, 'out'), `stdout of ${index}`).toBe(true);
      expect(numbered(logs.stderr, 'err'), `stderr of ${index}`).toBe(true);
      expect(logs.stdout.split('\n').length).toBe(logs.stderr.split('\n').length);
    }
  });
});
