// Powers of root inside a sandbox over the guest, and their limits: the facts behind "Inside a sandbox" in SECURITY.md.
// Runs on both runtimes in both sizes, because the powers of root differ between the two kernels.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GuestContainer, startGuestContainer } from '../../../../tests/harness/guest-container.ts';
import { createRunnerSigner } from '../../../../tests/harness/runner-signature.ts';
import { useGuestDocker } from './guest-docker.ts';

const signer = createRunnerSigner('instance-1');
const findGuest =
  'G=$(for p in /proc/[0-9]*; do grep -q guest/main.js $p/cmdline 2>/dev/null && basename $p; done | head -1)';
const listen = `use Socket; my @hosts = ("0.0.0.0", "127.0.0.1", split(" ", \`hostname -I\`));
for my $host (@hosts) { for my $option (0, SO_REUSEADDR, SO_REUSEPORT) {
  socket(my $socket, AF_INET, SOCK_STREAM, 0); setsockopt($socket, SOL_SOCKET, $option, pack("l", 1)) if $option;
  print "$host ", (bind($socket, pack_sockaddr_in(8080, inet_aton($host))) && listen($socket, 1) ? "TAKEN" : "refused"), "\\n";
}}`;

const docker = useGuestDocker();

async function run({ url }: GuestContainer, command: string): Promise<string> {
  const answer = await fetch(`${url}/process`, {
    method: 'POST',
    body: JSON.stringify({ command, waitForCompletion: true, timeout: 50 }),
  });
  return ((await answer.json()) as { logs?: string; error?: string }).logs ?? '';
}

const stateOf = (container: GuestContainer) => signer.send(container.url, { path: '/control/v1/state' });

describe.each(['runc', 'runsc'] as const)('root inside a sandbox of %s', (runtime) => {
  let container: GuestContainer;
  beforeAll(async () => {
    container = await startGuestContainer(docker.url, {
      image: docker.image,
      runtime,
      variables: { ...signer.variables },
    });
  });
  afterAll(() => container[Symbol.asyncDispose]());

  it('finds no secret of the platform in the environment of the guest or of process 1', async () => {
    const found = await run(container, `${findGuest}; cat /proc/$G/environ /proc/1/environ | tr "\\\\0" "\\n"`);
    expect(found).toContain('SANDBOX_CONTROL_KEY=');
    const names = found
      .split('\n')
      .map((line) => line.split('=')[0])
      .filter((name) => name);
    expect(names.filter((name) => /TOKEN|SECRET|PASSWORD|PRIVATE/.test(name ?? ''))).toEqual([]);
  });

  it('cannot forge the runner: no request without its private key is taken', async () => {
    const forged = await run(
      container,
      'node -e "fetch(\'http://127.0.0.1:8080/control/v1/state\').then(a => console.log(a.status))"',
    );
    expect(forged.trim()).toBe('401');
    expect((await createRunnerSigner('instance-1').send(container.url, { path: '/control/v1/state' })).status).toBe(
      403,
    );
    expect((await stateOf(container)).status).toBe(200);
  });

  it('cannot change what runs: the runtime folder is read-only, and cannot be unmounted or moved', async () => {
    const tried = await run(
      container,
      'touch /.berth/x && echo CHANGED; mount -o remount,rw /.berth && echo CHANGED; umount /.berth && echo CHANGED; mv /.berth /x && echo CHANGED; mount -t tmpfs none /.berth && echo CHANGED; echo done',
    );
    expect(tried).toContain('done');
    expect(tried).not.toContain('CHANGED');
  });

  it('cannot listen on the guest’s port beside it, on any address', async () => {
    const tried = await run(container, `perl -e '${listen}'`);
    expect(tried).toContain('refused');
    expect(tried).not.toContain('TAKEN');
  });

  it('kills the guest, and it returns with the same processes', async () => {
    const wish = { command: 'sleep 600', name: 'survivor' };
    const started = await fetch(`${container.url}/process`, { method: 'POST', body: JSON.stringify(wish) });
    const { pid } = (await started.json()) as { pid: string };
    await run(container, `${findGuest}; kill -9 $G`).catch(() => '');
    await expect.poll(async () => (await stateOf(container)).status).toBe(200);
    const found = await fetch(`${container.url}/process/survivor`);
    expect(await found.json()).toMatchObject({ pid, status: 'running' });
  });

  it('rewrites the guest’s own files, and the guest neither believes what it did not write nor dies of it', async () => {
    const folder = '/var/lib/sandbox/state';
    await run(container, `echo '{"generation":"x"}' > ${folder}/environment.json; echo written`);
    await run(container, `${findGuest}; kill -9 $G`).catch(() => '');
    await expect.poll(async () => (await stateOf(container)).status).toBe(200);
    expect(await (await stateOf(container)).json()).toMatchObject({ environmentGeneration: 0 });
  });
});

it('killing process 1 does nothing on runc, and ends the own sandbox on gVisor', async () => {
  await using plain = await startGuestContainer(docker.url, { image: docker.image, runtime: 'runc' });
  expect(await run(plain, 'kill -9 1; kill -STOP 1; echo still here')).toContain('still here');
  expect((await fetch(`${plain.url}/health`)).status).toBe(200);
  await using isolated = await startGuestContainer(docker.url, { image: docker.image, runtime: 'runsc' });
  void run(isolated, 'kill -9 1').catch(() => '');
  expect(await isolated.ended()).not.toBe(0);
});
