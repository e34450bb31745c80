// An installed machine goes to another release and back under load, and leaves releases that do not work by itself. Both good releases
// are made from the same sources and differ in their version: there is no earlier release that has the command.
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { defaultBrand, headerNames } from '@berth/contract';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { versionIn } from '../../../engines/box/images/version-in.ts';
import { changedRelease } from '../../../engines/changed-release.ts';
import { runFolder } from '../../../engines/run.ts';
import { isFull } from '../../harness/size.ts';
import { badReleases } from './bad-releases.ts';
import { askEdge, type EdgeAnswer } from './edge-client.ts';
import { startEdgeLoad } from './edge-load.ts';
import { domain, type InstallBox, media, startInstallBox } from './install-box.ts';

const minutes = 60_000;
const api = `https://api.${domain}/v0`;
const first = versionIn(resolve(import.meta.dirname, '../../..'));
const next = '0.90.0';
const releases = '/media/releases';
const folderOf = (version: string): string => `${releases}/${version}`;
const upgradeTo = (version: string): string =>
  `berth-server upgrade ${folderOf(version)}/berth-${version}-linux-x64.tar.gz --key ${media.release}/public.pem`;

const inWorkspace = { [headerNames(defaultBrand).workspace]: 'main' };

const Sandbox = z.object({ metadata: z.object({ url: z.url() }), status: z.string() });
const Started = z.object({ pid: z.string(), status: z.string() });
const Execution = z.object({
  status: z.string(),
  stats: z.object({ total: z.number(), success: z.number(), failure: z.number(), retried: z.number() }),
});

describe.runIf(isFull)('an upgrade of an installed machine', { timeout: 15 * minutes }, () => {
  const made = new AsyncDisposableStack();
  let machine: InstallBox;
  let key = '';
  let sandboxUrl = '';
  let pid = '';

  const ask = (url: string, method = 'GET', body?: unknown): Promise<EdgeAnswer> =>
    askEdge(machine, url, { key, method, body, headers: inWorkspace });
  const running = async (): Promise<string> =>
    (await machine.box.run('readlink /opt/berth/current')).trim().replace('/opt/berth/', '');
  const containers = () =>
    machine.box.run("docker ps --no-trunc --format '{{.ID}} {{.Names}}' --filter label=berth.service | sort");
  /** A restart of the sandbox would end the process. */
  const keeper = async () => Started.parse(JSON.parse((await ask(`${sandboxUrl}/process/keeper`)).body));
  const report = (title: string, output: string): void =>
    console.log(`${title}\n${output.trim().replace(/^/gm, '  ')}`);

  beforeAll(async () => {
    const folders = { [releases]: await runFolder('releases') };
    machine = made.use(await startInstallBox({ name: 'upgrade', number: 6, folders }));
    await changedRelease(next);
    const { code, output } = await machine.box.exec(machine.install);
    expect(code, output).toBe(0);
    key = /^ *key +(\S+)$/m.exec(output)?.[1] ?? '';
    await useImagesOfJobs();
    const spec = { runtime: { memory: 512 } };
    const created = await ask(`${api}/sandboxes`, 'POST', { metadata: { name: 'stays' }, spec });
    expect(created.status, created.body).toBe(200);
    const sandbox = async () => Sandbox.parse(JSON.parse((await ask(`${api}/sandboxes/stays`)).body));
    const isDeployed = async () => expect((await sandbox()).status).toBe('DEPLOYED');
    await vi.waitFor(isDeployed, { timeout: 2 * minutes, interval: 1_000 });
    sandboxUrl = (await sandbox()).metadata.url;
    const started = await ask(`${sandboxUrl}/process`, 'POST', {
      ...{ name: 'keeper', command: 'sleep 100000', keepAlive: true, timeout: 0 },
    });
    pid = Started.parse(JSON.parse(started.body)).pid;
  }, 25 * minutes);
  afterAll(() => made.disposeAsync(), 2 * minutes);

  /** An image that runs the text in SCRIPT, which every workspace may use. The settings stay as they were written. */
  async function useImagesOfJobs(): Promise<void> {
    const image = (await machine.box.run("sed -n 's/^BERTH_SANDBOX_IMAGE=//p' /etc/berth/compose.env")).trim();
    const change = `CMD ["bash", "-c", "eval \\"$SCRIPT\\""]`;
    await machine.box.run(`docker create --name job-image ${image}`);
    await machine.box.run(`docker commit --change '${change}' job-image job:1 && docker rm job-image`);
    const unit = '/etc/systemd/system/berth-runner.service.d';
    const line = `Environment='BERTH_RUNNER_SHARED_IMAGES=["docker.io/library/job:1"]'`;
    await machine.box.run(
      `mkdir -p ${unit} && printf '%s\\n' '[Service]' "${line.replaceAll('"', '\\"')}" >${unit}/jobs.conf`,
    );
    await machine.box.run('systemctl daemon-reload && systemctl restart berth-runner');
    const look = `fetch("http://127.0.0.1:17022/readyz").then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))`;
    const isReady = `/opt/berth/current/node/bin/node --eval '${look}'`;
    await vi.waitFor(() => machine.box.run(isReady), { timeout: minutes, interval: 500 });
  }

  async function startJob(name: string, script: string): Promise<() => Promise<z.infer<typeof Execution>>> {
    const runtime = { image: 'job:1', memory: 128, envs: [{ name: 'SCRIPT', value: script }] };
    const job = await ask(`${api}/jobs`, 'POST', { metadata: { name }, spec: { runtime } });
    expect(job.status, job.body).toBe(200);
    const started = await ask(`${api}/jobs/${name}/executions`, 'POST', {});
    expect(started.status, started.body).toBe(200);
    const { executionId } = z.object({ executionId: z.string() }).parse(JSON.parse(started.body));
    return async () => Execution.parse(JSON.parse((await ask(`${api}/jobs/${name}/executions/${executionId}`)).body));
  }

  /** The record of the runner's silences, by the api's own clock: seconds since the runner was last heard, looked at all the time. */
  async function watchSilence(): Promise<() => Promise<number>> {
    const query = 'select max(extract(epoch from clock_timestamp() - last_seen_at)) from runners';
    let [longest, isOver] = [0, false];
    const watching = (async () => {
      while (!isOver) {
        const { code, stdout } = await machine.box.exec(
          `docker exec berth-postgres-1 psql --username berth --port 17000 --tuples-only --no-align --command '${query}'`,
        );
        if (code === 0) longest = Math.max(longest, Number(stdout));
        await sleep(500);
      }
    })();
    return async () => {
      isOver = true;
      await watching;
      return longest;
    };
  }

  async function isUntouched(): Promise<void> {
    expect(await keeper()).toMatchObject({ pid, status: 'running' });
  }

  test('up and back under load: no request fails, no sandbox is restarted, and a job finishes once', async () => {
    const load = await startEdgeLoad(machine, [`${api}/sandboxes`, `${sandboxUrl}/process/keeper`], {
      ...inWorkspace,
      authorization: `Bearer ${key}`,
    });
    const silence = await watchSilence();
    const execution = await startJob('long', 'sleep 45');
    const engines = (await containers()).split('\n').filter((line) => /postgres|restate|edge/.test(line));
    for (const [title, command, version] of [
      ['up', upgradeTo(next), next],
      ['back', 'berth-server upgrade --back', first],
    ] as const) {
      const { code, output } = await machine.box.exec(command);
      report(title, output);
      expect(code, output).toBe(0);
      expect(await running()).toBe(version);
      const record = parse(await machine.box.run('cat /etc/berth/install.yaml'));
      expect(record).toMatchObject({ version, previous: version === next ? first : next });
      expect(record).not.toHaveProperty('move');
      await isUntouched();
    }
    console.log(await machine.box.run("docker inspect --format '{{json .Mounts}}' berth-restate-1"));
    // Neither an engine nor the edge was made again.
    expect((await containers()).split('\n')).toEqual(expect.arrayContaining(engines));
    await expect
      .poll(async () => (await execution()).status, { timeout: 3 * minutes, interval: 1_000 })
      .toBe('succeeded');
    expect((await execution()).stats).toEqual({ total: 1, success: 1, failure: 0, retried: 0 });
    const totals = await load.stop();
    console.log(JSON.stringify(totals), `longest silence of the runner ${(await silence()).toFixed(1)} s`);
    expect(totals.failures).toEqual([]);
    expect(totals.requests).toBeGreaterThan(100);
  });

  test.each(badReleases)(
    'a release $fault goes back alone, and says why and how the deployment is',
    async ({ version, step, reason, change }) => {
      await changedRelease(version, change);
      const before = await containers();
      const { code, output } = await machine.box.exec(upgradeTo(version));
      report(`to ${version}`, output);
      expect(code).toBe(1);
      const order = [
        `${step} … failed`,
        `${version} failed; going back to ${first}`,
        'canary … done',
        `${first} serves again`,
      ];
      expect(order.map((words) => output.indexOf(words)).every((at, index, all) => at > (all[index - 1] ?? -1))).toBe(
        true,
      );
      expect(output).toContain(reason);
      expect(output).toContain('FIX: ');
      expect(await running()).toBe(first);
      if (step === 'database') expect(await containers()).toBe(before);
      expect((await machine.box.exec(`ls /opt/berth/${version}`)).code).not.toBe(0);
      expect((await machine.box.exec('berth-server doctor')).code).toBe(0);
      await isUntouched();
    },
  );

  test('killed after each step and started again, it ends at the new release', async () => {
    for (const step of ['archive', 'unpack', 'settings', 'database', 'release', 'control plane', 'runner']) {
      const reached = Promise.withResolvers<void>();
      const command = machine.box.start(upgradeTo(next), {
        onLine: (line) => {
          if (line.startsWith(`${step} … `)) reached.resolve();
        },
      });
      await Promise.race([reached.promise, command.ended]);
      await command.kill();
      expect((await command.ended).output).toContain(`${step} … `);
    }
    const { code, output } = await machine.box.exec(upgradeTo(next));
    report('not killed', output);
    expect(code, output).toBe(0);
    expect(await running()).toBe(next);
    expect((await machine.box.exec('berth-server doctor')).code).toBe(0);
    await isUntouched();
  });

  test('a release with a changed byte is refused before anything is changed', async () => {
    const before = await running();
    await machine.box.run(`cp -r ${folderOf(next)} /root/changed`);
    await machine.box.run(`echo x >>/root/changed/berth-${next}-linux-x64.tar.gz`);
    const { code, output } = await machine.box.exec(
      `berth-server upgrade /root/changed/berth-${next}-linux-x64.tar.gz`,
    );
    expect(code).toBe(1);
    expect(output).toContain('does not have the hash of SHA256SUMS');
    expect(await running()).toBe(before);
  });
});
