import { callDocker } from '../../engines/docker-api.ts';

/** Runs a program inside a container and returns its output, line by line. */
export async function execute(dockerUrl: string, container: string, command: readonly string[]): Promise<string[]> {
  const created = await callDocker(dockerUrl, `POST /containers/${container}/exec`, {
    json: { Cmd: command, Tty: true, AttachStdout: true, AttachStderr: true },
  });
  const { Id } = JSON.parse(created.body.toString());
  const { body } = await callDocker(dockerUrl, `POST /exec/${Id}/start`, { json: { Tty: true } });
  return body
    .toString()
    .split(/\r?\n/)
    .filter((line) => line !== '');
}
