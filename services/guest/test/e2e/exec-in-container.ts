import { callDocker } from '../../../../engines/docker-api.ts';

/** Runs a script as root, bypassing the guest: setup and checks of a test must not depend on the code under test. */
export async function execInContainer(dockerUrl: string, id: string, script: string): Promise<string> {
  const { body } = await callDocker(dockerUrl, `POST /containers/${id}/exec`, {
    json: { Cmd: ['/bin/sh', '-c', script], AttachStdout: true, AttachStderr: true, Tty: true, User: '0' },
  });
  const { Id } = JSON.parse(body.toString());
  const ran = await callDocker(dockerUrl, `POST /exec/${Id}/start`, { json: { Detach: false, Tty: true } });
  return ran.body.toString().replaceAll('\r\n', '\n');
}
