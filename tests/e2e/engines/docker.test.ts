import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { baseImage, importBaseImage } from '../../../engines/base-image.ts';
import { callDocker } from '../../../engines/docker-api.ts';
import { dockerFolder } from '../../../engines/docker-config.ts';
import { debris } from '../../../engines/docker-debris.ts';
import { gvisor } from '../../../engines/gvisor.ts';
import { runName } from '../../../engines/run.ts';
import { startTestDocker, type TestDocker } from '../../../engines/test-docker.ts';
import { importTinyImage } from '../../../engines/tiny-image.ts';
import { addressOf, answer, inspect, runContainer, startContainer } from './container.ts';

const installTimeoutMs = 900_000;
const templates = resolve(import.meta.dirname, '../../../templates');
const devices = '/sys/class/net';
const bridgeOf = (network: string) => `br-${network.slice(0, 12)}`;
const leftBy = ({ dataFolder }: TestDocker) => debris(dataFolder, dockerFolder(dataFolder));
/** The bridge of a network and its containers' links on it. Links of other engines are ignored: they come and go. */
const linksOf = async (bridge: string) => [bridge, ...(await readdir(join(devices, bridge, 'brif')))];
const areThere = (links: readonly string[]) => links.filter((link) => existsSync(join(devices, link)));
const createNetwork = (url: string, name: string) =>
  inspect(url, 'POST /networks/create', { Name: name, Driver: 'bridge', CheckDuplicate: true });

beforeAll(async () => {
  await gvisor.install();
  await baseImage.install();
}, installTimeoutMs);

describe('one engine', () => {
  let docker: TestDocker;
  let base = '';
  let tiny = '';

  beforeAll(async () => {
    docker = await startTestDocker();
    [base = ''] = await importBaseImage(docker.url);
    tiny = await importTinyImage(docker.url);
    await createNetwork(docker.url, 'ours');
  });
  afterAll(() => docker[Symbol.asyncDispose]());

  describe.each(['runc', 'runsc'])('under %s', (runtime) => {
    test('the base image runs Node.js as an account without rights', async () => {
      const command = ['node', '-p', 'process.version + " " + process.getuid()'];
      const ended = await runContainer(docker.url, { image: base, runtime, user: 'node', command });
      expect(ended).toEqual({ exitCode: 0, outOfMemory: false, output: `${process.version} 1000\n` });
    });

    test('memory beyond its limit is refused', async () => {
      const command = ['node', '-e', 'Buffer.alloc(600_000_000, 1); console.log("survived")'];
      const ended = await runContainer(docker.url, { image: base, runtime, memoryMb: 128, command });
      // `outOfMemory` is not checked: the engine sets it only if the kernel's notice arrives before the exit, which is
      // a race.
      expect(ended).toMatchObject({ exitCode: 137, output: '' });
    });

    test('processes beyond its limit are refused', async () => {
      const fork = 'i=0; while [ $i -lt 200 ]; do sleep 5 & i=$((i+1)); done; echo survived';
      const ended = await runContainer(docker.url, { image: tiny, runtime, pids: 60, command: ['sh', '-c', fork] });
      expect(ended.exitCode).not.toBe(0);
      expect(ended.output).not.toContain('survived');
    });

    test('a container that names no network has none', async () => {
      const interfaces = async (network?: string) => {
        const wish = { image: tiny, runtime, command: ['cat', '/proc/net/dev'], ...(network ? { network } : {}) };
        const names = [...(await runContainer(docker.url, wish)).output.matchAll(/^\s*(\w+):/gm)].map(
          ([, name]) => name,
        );
        return names.filter((name) => name !== 'lo');
      };
      expect(await interfaces()).toEqual([]);
      expect(await interfaces('ours')).toEqual(['eth0']);
    });

    test('on a network of ours it answers the machine, from an address of the shared space', async () => {
      const id = await startContainer(docker.url, { image: tiny, runtime, network: 'ours' });
      const address = await addressOf(docker.url, id, 'ours');
      expect(address).toMatch(/^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./);
      expect(await answer(`http://${address}:8080/`)).toBe('berth\n');
      await callDocker(docker.url, `DELETE /containers/${id}?force=1`);
    });
  });

  test('gVisor answers system calls with a kernel of its own, runc with the machine’s', async () => {
    const kernel = async (runtime: string) =>
      (await runContainer(docker.url, { image: tiny, runtime, command: ['uname', '-r'] })).output.trim();
    const messages = await runContainer(docker.url, { image: tiny, runtime: 'runsc', command: ['dmesg'] });
    expect(messages.output).toContain('Starting gVisor');
    expect(await kernel('runsc')).toContain('gvisor');
    expect(await kernel('runc')).toBe(execFileSync('uname', ['-r'], { encoding: 'utf8' }).trim());
  });

  test('a template builds from its Dockerfile and answers, with nothing pulled', async () => {
    const body = execFileSync('tar', ['--create', '--directory', join(templates, 'agent-http'), '.']);
    await callDocker(docker.url, 'POST /build?t=agent-http', {
      body,
      headers: { 'content-type': 'application/x-tar' },
    });
    const id = await startContainer(docker.url, { image: 'agent-http', runtime: 'runsc', network: 'ours' });
    const address = await addressOf(docker.url, id, 'ours');
    expect(await answer(`http://${address}:8000/`)).not.toBe('');
    await callDocker(docker.url, `DELETE /containers/${id}?force=1`);
  });

  test('containers go on, untouched, when the engine is killed and starts again', async () => {
    const wishes = ['runc', 'runsc'].map((runtime) => ({ image: tiny, runtime, network: 'ours' }));
    const ids = await Promise.all(wishes.map((wish) => startContainer(docker.url, wish)));
    const seen = async (id: string) => {
      const { State } = await inspect(docker.url, `GET /containers/${id}/json`);
      const body = await answer(`http://${await addressOf(docker.url, id, 'ours')}:8080/`);
      return { running: State.Running, pid: State.Pid, startedAt: State.StartedAt, body };
    };
    const before = await Promise.all(ids.map(seen));
    const addresses = await Promise.all(ids.map((id) => addressOf(docker.url, id, 'ours')));
    await docker.kill();
    for (const address of addresses) expect(await answer(`http://${address}:8080/`)).toBe('berth\n');
    await docker.start();
    expect(await Promise.all(ids.map(seen))).toEqual(before);
    for (const id of ids) await callDocker(docker.url, `DELETE /containers/${id}?force=1`);
  });
});

describe('an end', () => {
  async function busyEngine(): Promise<{ docker: TestDocker; links: string[] }> {
    const docker = await startTestDocker();
    const image = await importTinyImage(docker.url);
    const { Id } = await createNetwork(docker.url, 'ours');
    for (const runtime of ['runc', 'runsc']) await startContainer(docker.url, { image, runtime, network: 'ours' });
    const frozen = await startContainer(docker.url, { image, runtime: 'runc', network: 'ours' });
    await callDocker(docker.url, `POST /containers/${frozen}/pause`);
    const links = await linksOf(bridgeOf(Id));
    expect(links).toHaveLength(4);
    return { docker, links };
  }

  test('stopping leaves no process, mount, cgroup or network interface behind', async () => {
    const { docker: busy, links } = await busyEngine();
    await using docker = busy;
    expect(await leftBy(docker)).not.toEqual([]);
    expect(areThere(links)).toEqual(links);
    await docker.stop();
    expect(await leftBy(docker)).toEqual([]);
    expect(areThere(links)).toEqual([]);
  });

  test('so does stopping one that was killed', async () => {
    const { docker: busy, links } = await busyEngine();
    await using docker = busy;
    await docker.kill();
    await docker.stop();
    expect(await leftBy(docker)).toEqual([]);
    expect(areThere(links)).toEqual([]);
  });

  test('stopping one leaves the containers of another alone', async () => {
    await using other = await startTestDocker();
    const image = await importTinyImage(other.url);
    await createNetwork(other.url, 'theirs');
    const id = await startContainer(other.url, { image, runtime: 'runc', network: 'theirs' });
    const { docker } = await busyEngine();
    await docker[Symbol.asyncDispose]();
    expect(await answer(`http://${await addressOf(other.url, id, 'theirs')}:8080/`)).toBe('berth\n');
  });
});

test('an engine in a network namespace of its own makes its bridges there', async () => {
  const name = runName('test');
  execFileSync('ip', ['netns', 'add', name]);
  try {
    await using docker = await startTestDocker({ netns: `/run/netns/${name}` });
    const { Id } = await createNetwork(docker.url, 'ours');
    const image = await importTinyImage(docker.url);
    const container = await startContainer(docker.url, { image, runtime: 'runsc', network: 'ours' });
    const address = await addressOf(docker.url, container, 'ours');
    expect(areThere([bridgeOf(Id)])).toEqual([]);
    const inside = execFileSync('ip', ['-n', name, 'link'], { encoding: 'utf8' });
    expect(inside).toContain(bridgeOf(Id));
    const fetched = ['nsenter', `--net=/run/netns/${name}`, 'busybox', 'wget', '-qO-', `http://${address}:8080/`];
    expect(execFileSync('env', fetched, { encoding: 'utf8' })).toBe('berth\n');
  } finally {
    execFileSync('ip', ['netns', 'delete', name]);
  }
});
