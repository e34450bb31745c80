// Attacks by code inside a sandbox that tries to break out, and by tenants on other tenants' sandboxes. Attacks from
// inside run on both isolation classes, on a runner as operators have it. Each outcome is printed, and no attack
// reaches the machine or a neighbour.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { callDocker } from '../../engines/docker-api.ts';
import { instanceState, type Placed, takeBack } from '../harness/placed-instance.ts';
import { isFull } from '../harness/size.ts';
import { type AttackedMachine, diskMb, startAttackedMachine } from './sandbox-attacks/attacked-machine.ts';
import { attacks } from './sandbox-attacks/attacks.ts';
import { browserAndKeyAttacks, imageAttacks } from './sandbox-attacks/front-door.ts';

const bridge = '100.96.0.1';
const classes = ['runc', 'gvisor'] as const;
/**
 * In the small size each bomb runs on one class: on runc, where the host's kernel limits it, or, for memory, on gVisor,
 * which must itself stay within bounds.
 */
const bombs = [
  { kind: 'fork', memoryMb: 512, mattersMost: 'runc' },
  { kind: 'memory', memoryMb: 256, mattersMost: 'gvisor' },
  { kind: 'disk', memoryMb: 512, mattersMost: 'runc' },
  { kind: 'inodes', memoryMb: 512, mattersMost: 'runc' },
] as const;
const bombMs = isFull ? 8_000 : 5_000;

interface Row {
  readonly attack: string;
  readonly on: string;
  readonly expected: string;
  readonly seen: string;
}

let attacked: AttackedMachine;
const table: Row[] = [];
const note = (attack: string, on: string, expected: string, seen: string) =>
  table.push({ attack, on, expected, seen: seen.trim().replaceAll(/\s+/g, ' ').slice(0, 60) });

beforeAll(async () => {
  attacked = await startAttackedMachine();
}, 900_000);
/** Prints after each test, so that an interrupted run has reported its outcomes so far. */
afterEach(() => {
  const lines = table
    .splice(0)
    .map(({ attack, on, expected, seen }) => [attack.padEnd(44), on.padEnd(7), expected.padEnd(9), seen].join(' '));
  console.log(lines.join('\n'));
});
afterAll(() => attacked?.[Symbol.asyncDispose]());

/** State of the machine that a successful attack would change. */
const machineNow = () => ({
  corePattern: readFileSync('/proc/sys/kernel/core_pattern', 'utf8'),
  overcommit: readFileSync('/proc/sys/vm/overcommit_memory', 'utf8'),
  hostName: readFileSync('/proc/sys/kernel/hostname', 'utf8'),
  runner: attacked.machine.runner.pid,
  isRunning: attacked.machine.runner.isRunning,
});

describe.each(classes)('from inside a sandbox under %s', (isolation) => {
  let attacker: Placed;
  let friend: Placed;
  let stranger: Placed;
  let before: ReturnType<typeof machineNow>;

  beforeAll(async () => {
    [attacker, friend, stranger] = await Promise.all([
      attacked.sandbox(isolation, 0),
      attacked.sandbox(isolation, 0),
      attacked.sandbox(isolation, 1),
    ]);
    for (const each of [friend, stranger]) await attacked.start(each, `node /serve.mjs ${attacked.ports.service}`);
    before = machineNow();
  });
  afterAll(async () => {
    for (const { id } of [attacker, friend, stranger].filter(Boolean)) await takeBack(attacked.fleet, id);
  });

  test('no call of the kernel opens a way out', async () => {
    const said = await attacked.run(attacker, `/attack ${attacks.map(({ name }) => name).join(' ')}`);
    const seen = new Map(
      said
        .trim()
        .split('\n')
        .map((line): [string, string] => [line.split('\t')[0] ?? '', line.split('\t')[1] ?? '']),
    );
    const wrong: string[] = [];
    for (const attack of attacks) {
      const outcome = seen.get(attack.name) ?? 'no answer';
      note(attack.name, isolation, attack[isolation], outcome);
      if (attack[isolation] === 'refused' && !outcome.startsWith('refused')) wrong.push(`${attack.name}: ${outcome}`);
    }
    expect(wrong).toEqual([]);
    expect(machineNow()).toEqual(before);
  });

  test('the machine’s files, processes and engine are not there', async () => {
    /** `shows` must match, so that empty output or a failed command does not pass; `hides` must not match. */
    const looks: readonly { what: string; command: string; shows: RegExp; hides?: RegExp }[] = [
      {
        what: 'root of process 1 is the sandbox’s own',
        command: 'ls /proc/1/root/.berth/init && ls /proc/1/root/var/tmp && echo looked',
        shows: /^\/proc\/1\/root\/\.berth\/init\n[\s\S]*^looked$/m,
        hides: /berth-\d/,
      },
      {
        what: 'Docker’s socket',
        command:
          'ls /var/run/docker.sock /run/docker.sock 2>/dev/null; find / -xdev "(" -type s -o -path /etc/passwd ")" 2>/dev/null',
        shows: /^\/etc\/passwd$/m,
        hides: /docker\.sock/,
      },
      {
        what: 'processes of the machine',
        command: 'cat /proc/1/comm && cat /proc/[0-9]*/comm; echo looked',
        shows: /^\S+\n\S[\s\S]*^looked$/m,
        hides: /dockerd|containerd|postgres/,
      },
      {
        what: 'kernel symbols',
        command: 'grep -vc "^0000000000000000" /proc/kallsyms 2>&1; echo looked',
        shows: /^(0|grep: .*)\nlooked\s*$/,
      },
      {
        what: 'disks',
        command: 'ls /dev/null && ls /dev | grep -E "^(sd|vd|nvme|loop|mem|kmem|port)"; echo looked',
        shows: /^\/dev\/null\nlooked\s*$/,
      },
      {
        what: 'the runner’s key',
        command: 'env | grep -o "^PATH=" ; env | grep -i -E "secret|token|private"; echo looked',
        shows: /^PATH=\nlooked\s*$/,
      },
    ];
    for (const { what, command, shows, hides } of looks) {
      const seen = await attacked.run(attacker, `sh -c '${command}'`);
      const isHidden = hides === undefined || !hides.test(seen);
      note(what, isolation, 'absent', shows.test(seen) && isHidden ? 'absent' : seen);
      expect(seen, what).toMatch(shows);
      if (hides !== undefined) expect(seen, what).not.toMatch(hides);
    }
  });

  test('a sandbox reaches only the gateway and the internet: no other sandbox of its workspace either', async () => {
    const { machine, gateway, ports } = attacked;
    const wanted: readonly [string, string, boolean][] = [
      ['a sandbox of the same workspace, its guest', `tcp,${friend.address},8080`, false],
      ['a sandbox of the same workspace, any port', `tcp,${friend.address},${ports.service}`, false],
      ['the gateway, as any client', `tcp,${gateway.address},${gateway.port}`, true],
      ['another tenant’s guest', `tcp,${stranger.address},8080`, false],
      ['another tenant’s port', `tcp,${stranger.address},${ports.service}`, false],
      ['another tenant’s port, UDP', `udp,${stranger.address},${ports.service}`, false],
      ['metadata address', 'tcp,169.254.169.254,80', false],
      ['the runner’s ingress', `tcp,${machine.address},${ports.ingress}`, false],
      ['the runner’s ingress on the bridge', `tcp,${bridge},${ports.ingress}`, false],
      ['the runner’s health and metrics', `tcp,${bridge},${ports.health}`, false],
      ['the node protocol', `tcp,${machine.outside},${ports.node}`, false],
      ['the api', `tcp,${machine.outside},${ports.api}`, false],
      ['a service of the machine on the bridge', `tcp,${bridge},${ports.service}`, false],
      ['a service of the machine on the bridge, UDP', `udp,${bridge},${ports.service}`, false],
      ['a service of the machine', `tcp,${machine.address},${ports.service}`, false],
      ['a service beside the gateway', `tcp,${machine.outside},${ports.service}`, false],
      ['names at a server that nobody configured', `udp,${machine.outside},53`, false],
      ['IPv6, any neighbour', 'tcp,ff02::1%eth0,8080', false],
      ['IPv6, the machine', 'udp,fe80::1%eth0,53', false],
    ];
    const said = await attacked.run(attacker, `node /probe.mjs ${wanted.map(([, target]) => target).join(' ')}`);
    for (const [what, target, isOpen] of wanted) {
      const isReached = said.split('\n').includes(target);
      note(what, isolation, isOpen ? 'reached' : 'closed', isReached ? 'reached' : 'closed');
      expect([what, isReached]).toEqual([what, isOpen]);
    }
    attacked.checkServices();
  });

  test('R-51: the guest’s control routes are closed to every process inside', async () => {
    for (const path of ['/control/v1/state', '/control/v1/quiesce', '/control/v1/environment', '/upgrade']) {
      const script = `fetch("http://127.0.0.1:8080${path}",{method:"${path === '/control/v1/state' ? 'GET' : 'POST'}",body:${path === '/control/v1/state' ? 'undefined' : '"{}"'}}).then(a=>console.log(a.status))`;
      const seen = (await attacked.run(attacker, `node -e '${script}'`)).trim();
      note(`${path} without a signature`, isolation, 'refused', seen);
      expect(seen, path).toMatch(/^(401|403|404|405)$/);
    }
  });

  test('the guest comes back when it is killed, and no other sandbox is affected', async () => {
    await attacked
      .run(
        attacker,
        `sh -c 'for p in /proc/[0-9]*; do grep -q guest/main.js $p/cmdline 2>/dev/null && kill -9 $(basename $p); done'`,
      )
      .catch(() => '');
    await expect.poll(() => attacked.run(attacker, 'echo back').catch(() => ''), { timeout: 60_000 }).toContain('back');
    note('kill of the guest', isolation, 'own', 'it is back');
    expect(await attacked.run(stranger, 'echo untouched')).toContain('untouched');
  });

  const ownBombs = bombs.filter(({ mattersMost }) => isFull || mattersMost === isolation);
  test.each(ownBombs)('a $kind bomb hurts only its own sandbox', async ({ kind, memoryMb }) => {
    const bomber = await attacked.sandbox(isolation, 0, memoryMb);
    await attacked.start(bomber, `node /bomb.mjs ${kind}`);
    const free = () =>
      Number(
        execFileSync('df', ['--output=pcent', `${attacked.machine.dockerFolder}/data`], { encoding: 'utf8' }).match(
          /\d+/,
        )?.[0],
      );
    let fullest = 0;
    const until = Date.now() + bombMs;
    while (Date.now() < until) {
      fullest = Math.max(fullest, free());
      expect(await attacked.run(stranger, 'echo here')).toContain('here');
      if ((await instanceState(attacked.fleet, bomber.id)).state === 'failed') break;
    }
    const { state, code } = await instanceState(attacked.fleet, bomber.id);
    note(
      `${kind} bomb`,
      isolation,
      'own',
      `${state}${code === null ? '' : ` ${code}`}; disk at most ${fullest} % full of ${diskMb} MB allowed`,
    );
    expect(fullest).toBeLessThan(90);
    expect(machineNow()).toEqual(before);
    expect((await callDocker(attacked.machine.dockerUrl, 'GET /_ping')).status).toBe(200);
    await takeBack(attacked.fleet, bomber.id);
    await expect
      .poll(async () => (await instanceState(attacked.fleet, bomber.id)).state, { timeout: 60_000 })
      .toBe('gone');
  });
});

describe('with the name of an image', () => imageAttacks(() => attacked, note));
describe('from a page and with a key', () => browserAndKeyAttacks(() => attacked, note));
