// The alternative without Berth: a guest in a container that Docker pauses, woken with `unpause` and one HTTP call.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { guestPort } from '@berth/contract/guest';
import type { IsolationClass } from '@berth/contract/node';
import { callDocker } from '../../engines/docker-api.ts';
import type { Machine } from '../../engines/fleet/machine.ts';
import { startGuestContainer } from '../../tests/harness/guest-container.ts';

export interface BareWake extends AsyncDisposable {
  /** Milliseconds from the call to Docker to the first byte of the guest's answer. */
  wake(): Promise<number>;
}

const source = `
  const http = require('node:http');
  const call = (options) => new Promise((resolve, reject) => {
    const sent = http.request(options, (answer) => { answer.once('data', resolve); answer.once('end', resolve); });
    sent.once('error', reject).end();
  });
  require('node:readline').createInterface({ input: process.stdin }).on('line', async (line) => {
    const { socketPath, id, host } = JSON.parse(line);
    const startedAt = performance.now();
    await call({ socketPath, method: 'POST', path: '/containers/' + id + '/unpause' });
    // Refused only until the guest has come up for the first time.
    for (;;) {
      const answer = await call({ host, port: ${guestPort}, path: '/health' }).then(() => true, () => false);
      if (answer) break;
    }
    console.log(performance.now() - startedAt);
  });
`;

/** The calling process is inside the machine's network, like the container. */
export async function startBareWake(machine: Machine, image: string, isolation: IsolationClass): Promise<BareWake> {
  await using made = new AsyncDisposableStack();
  const runtime = isolation === 'gvisor' ? 'runsc' : 'runc';
  const container = made.use(await startGuestContainer(machine.dockerUrl, { image, runtime, withoutWaiting: true }));
  const child = spawn('nsenter', [`--net=${machine.netns}`, '--', process.execPath, '-e', source], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  made.defer(() => void child.kill());
  const kept = made.move();
  const order = JSON.stringify({
    socketPath: machine.dockerUrl.replace('unix://', ''),
    id: container.id,
    host: new URL(container.url).hostname,
  });
  return {
    async wake() {
      await callDocker(machine.dockerUrl, `POST /containers/${container.id}/pause`);
      const answered = once(child.stdout, 'data');
      child.stdin.write(`${order}\n`);
      return Number(String((await answered)[0]));
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
