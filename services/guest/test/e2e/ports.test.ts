import { expect, test } from 'vitest';
import { startGuestContainer } from '../../../../tests/harness/guest-container.ts';
import { runtimesOf } from '../../../../tests/harness/size.ts';
import { useGuestDocker } from './guest-docker.ts';

const docker = useGuestDocker();

const serve = (port: number, host: string) => `node -e "require('net').createServer().listen(${port}, '${host}')"`;

// The small size tests runc; under gVisor, services/guest/test/ports.test.ts runs (suites.test.ts).
test.each(runtimesOf('runc'))(
  'R-18 on %s a server in the background of another session is ready, one on loopback is not, and the first is listed',
  async (runtime) => {
    await using sandbox = await startGuestContainer(docker.url, { image: docker.image, runtime });
    const start = async (body: object) => {
      const response = await fetch(`${sandbox.url}/process`, { method: 'POST', body: JSON.stringify(body) });
      return { status: response.status, body: JSON.parse(await response.text()) };
    };
    const background = `setsid ${serve(4000, '::')} & exec sleep 600`;
    const ready = await start({ command: background, waitForPorts: [4000], timeout: 60 });
    expect(ready.status).toBe(200);
    const loopback = await start({ command: serve(4001, '127.0.0.1'), waitForPorts: [4001], timeout: 3 });
    expect(loopback).toMatchObject({ status: 422, body: { error: expect.stringContaining('timed out') } });
    const response = await fetch(`${sandbox.url}/network/process/${ready.body.pid}/ports`);
    expect(await response.json()).toMatchObject({
      ports: [{ protocol: 'tcp', localAddr: '::', localPort: 4000, state: 'LISTEN' }],
    });
  },
);
