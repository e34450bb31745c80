// The installation on a machine that has nothing but Debian and Docker: from nothing to a sandbox that answers over HTTPS, through kills,
// and back to nothing.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { isFull } from '../../harness/size.ts';
import { askEdge } from './edge-client.ts';
import { domain, type InstallBox, startInstallBox } from './install-box.ts';
import { changes, listMachine, type MachineListing } from './machine-listing.ts';
import { openPorts } from './open-ports.ts';
import { faultsBefore, type PlantedFault, quickFaults, slowFaults } from './planted-faults.ts';

const minutes = 60_000;
/** Steps after which the command is killed, before the next one has done its work. */
const killedAfter = isFull
  ? [
      'checks',
      'release',
      'settings',
      'images',
      'docker',
      'engines',
      'database',
      'account',
      'control plane',
      'edge',
      'runner',
    ]
  : ['settings', 'images', 'engines', 'control plane', 'runner'];
const faults: readonly PlantedFault[] = isFull ? [...quickFaults, ...slowFaults] : quickFaults;
const api = `https://api.${domain}`;

/** Paths and names of data, which an installation leaves. */
const ofData = /^\/(etc|var\/lib)\/berth[/ ]/;
/** Both have the same contents as before, and were written again. */
const rewritten = /^\/etc\/(hosts|docker\/daemon\.json) /;
/** Those that change while the deployment works: its data, its instances and their network slots. */
const ofWork = /^(\/var\/lib\/berth\/|berth-slot-|berth-[0-9a-f]{8}-|veth)/;

const either = (one: RegExp, other: RegExp): RegExp => new RegExp(`${one.source}|${other.source}`);

const Secrets = z.object({
  masterKeys: z.array(z.object({ key: z.string() })),
  postgres: z.object({ url: z.url() }),
});

const Health = z.object({
  isHealthy: z.boolean(),
  findings: z.array(z.object({ name: z.string(), what: z.string(), fix: z.string(), isWarning: z.boolean() })),
  leftOut: z.array(z.string()),
});

describe('an installation on a machine without the internet', { timeout: 10 * minutes }, () => {
  const made = new AsyncDisposableStack();
  let machine: InstallBox;
  let before: MachineListing;
  let key = '';

  beforeAll(async () => {
    machine = made.use(await startInstallBox({ name: 'install', number: 5 }));
    before = await listMachine(machine.box);
  }, 20 * minutes);
  afterAll(() => made.disposeAsync(), 2 * minutes);

  const report = (title: string, output: string): void => {
    const steps = output.split('\n').filter((line) => line.includes(' … '));
    console.log([title, ...steps].join('\n  '));
  };

  /** Runs the installation until a step is done, and kills it then. */
  async function killAfter(step: string): Promise<string> {
    const reached = Promise.withResolvers<void>();
    const command = machine.box.start(machine.install, {
      onLine: (line) => {
        if (line.startsWith(`${step} … `)) reached.resolve();
      },
    });
    await Promise.race([reached.promise, command.ended]);
    await command.kill();
    const { code, output } = await command.ended;
    expect(output).toContain(`${step} … `);
    expect(code, output).not.toBe(0);
    return output;
  }

  test.runIf(isFull).each(faultsBefore)(
    'a machine with $fault is refused by its check $check alone, before anything is set up',
    async ({ plant, check, mend }) => {
      await machine.box.run(plant);
      const { code, output } = await machine.box.exec(machine.install);
      await machine.box.run(mend);
      expect(code, output).toBe(1);
      expect(output).toContain(`This machine is not ready: ${check}. Nothing was changed.`);
      expect(output).toContain('FIX: ');
      expect(await machine.box.exec('ls /etc/berth')).not.toMatchObject({ code: 0 });
    },
  );

  test(`killed after ${killedAfter.join(', ')} and started again, it ends with a sandbox that answered over HTTPS`, async () => {
    for (const step of killedAfter) report(`killed after ${step}`, await killAfter(step));
    const { code, output } = await machine.box.exec(machine.install);
    report('not killed', output);
    expect(code, output).toBe(0);
    expect(output).toMatch(/^canary … done .*: a sandbox answered over HTTPS$/m);
    key = /^ *key +(\S+)$/m.exec(output)?.[1] ?? '';
    expect(key, output).not.toBe('');
    expect((await askEdge(machine, `${api}/v0/workspaces`, { key })).status).toBe(200);
  });

  test('started once more, it changes nothing and shows no key', async () => {
    const first = await listMachine(machine.box);
    const { code, output } = await machine.box.exec(machine.install);
    report('again', output);
    expect(code, output).toBe(0);
    expect(output).not.toContain(key);
    expect(changes(first, await listMachine(machine.box), ofWork)).toEqual({});
  });

  test('others reach ports 80 and 443, and no other', async () => {
    const listening = await machine.box.run(
      "ss --no-header --listening --tcp --numeric | awk '{ print $4 }' | sed 's/.*://'",
    );
    const own = [...new Set(listening.trim().split('\n').map(Number))];
    expect(own.length).toBeGreaterThan(10);
    const every = Array.from({ length: 65_535 }, (_, index) => index + 1);
    expect(await openPorts(machine.box.address, isFull ? every : own)).toEqual([80, 443]);
  });

  test('no other account reads a secret, and no password is one that everybody has', async () => {
    const { masterKeys, postgres } = Secrets.parse(parse(await machine.box.run('cat /etc/berth/berth.yaml')));
    const secrets = [...masterKeys.map((master) => master.key), new URL(postgres.url).password];
    const words = secrets.map((word) => `--regexp='${word}'`).join(' ');
    const places = '/etc /opt/berth /usr/local /run /tmp /var/tmp /var/lib/berth /root';
    const holders = await machine.box.run(
      `grep --recursive --exclude-dir transient --files-with-matches --fixed-strings ${words} ${places} 2>/dev/null || true`,
    );
    const open = `find ${holders.trim().replaceAll('\n', ' ')} -perm /0077`;
    expect(holders).toContain('/etc/berth/berth.yaml');
    expect(await machine.box.run(open)).toBe('');
    const asOther = (command: string) =>
      machine.box.exec(`setpriv --reuid 65534 --regid 65534 --clear-groups ${command}`);
    for (const folder of ['/etc/berth/berth.yaml', '/var/lib/berth/runner/identity.json'])
      expect((await asOther(`cat ${folder}`)).output).toContain('Permission denied');
    const commandLines = await machine.box.run('cat /proc/[0-9]*/cmdline 2>/dev/null | tr "\\0" " "');
    expect(secrets.filter((word) => commandLines.includes(word))).toEqual([]);
    const login = async (password: string) => {
      const psql = 'psql --host 127.0.0.1 --port 17000 --username berth --no-password --command "select 1"';
      return (await machine.box.exec(`docker exec --env PGPASSWORD='${password}' berth-postgres-1 ${psql}`)).code;
    };
    expect(await login(new URL(postgres.url).password)).toBe(0);
    for (const password of ['postgres', 'berth', 'password', '']) expect(await login(password), password).not.toBe(0);
  });

  async function doctor(): Promise<z.infer<typeof Health>> {
    const { code, stdout, output } = await machine.box.exec('berth-server doctor --json');
    const health = Health.parse(JSON.parse(stdout));
    expect(code).toBe(health.isHealthy ? 0 : 1);
    if (!health.isHealthy) expect(output).toContain('FIX: ');
    return health;
  }
  const faultsIn = ({ findings }: z.infer<typeof Health>) => findings.filter(({ isWarning }) => !isWarning);

  test('the doctor finds no fault in a healthy deployment', async () => {
    const health = await doctor();
    expect(faultsIn(health)).toEqual([]);
    expect(health).toMatchObject({ isHealthy: true, leftOut: [] });
  });

  test.each(faults)(
    'the doctor finds $fault by its check $check alone, and it can be mended',
    async ({ plant, check, mend }) => {
      await machine.box.run(plant);
      const health = await doctor();
      expect(
        faultsIn(health).map(({ name }) => name),
        JSON.stringify(health),
      ).toEqual([check]);
      await machine.box.run(mend ?? faultsIn(health)[0]?.fix ?? 'false');
      await expect.poll(async () => faultsIn(await doctor()), { timeout: minutes, interval: 1_000 }).toEqual([]);
    },
  );

  test('removed, it leaves the data alone; installed again, it has the same workspaces and keys', async () => {
    const { code, output } = await machine.box.exec('berth-server uninstall');
    report('uninstall', output);
    expect(code, output).toBe(0);
    // The kernel and systemd remove cgroups of ended processes a moment later.
    await expect
      .poll(async () => changes(before, await listMachine(machine.box), either(ofData, rewritten)), { timeout: 60_000 })
      .toEqual({});
    expect(JSON.parse(await machine.box.run('cat /etc/docker/daemon.json'))).toEqual({ 'log-level': 'info' });
    if (!isFull) return;
    const again = await machine.box.exec(machine.install);
    report('again, with the data', again.output);
    expect(again.code, again.output).toBe(0);
    expect((await askEdge(machine, `${api}/v0/workspaces`, { key })).status).toBe(200);
  });

  test.runIf(isFull)('removed with its data by its name, it leaves nothing', async () => {
    expect((await machine.box.exec('berth-server uninstall --delete-data other.test')).code).toBe(1);
    await machine.box.run(`berth-server uninstall --delete-data ${domain}`);
    expect(changes(before, await listMachine(machine.box), rewritten)).toEqual({});
  });
});
