// A virtual machine with a modern Linux and its own wire: the equivalent of an operator's runner machine. It is
// emulated, so everything in it takes about thirty times as long; only the runner and its containers belong inside.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runEnvironment, runFolder, runLink } from '../run.ts';
import { wireAddresses } from '../wire.ts';
import { emulatorCommand } from './emulator.ts';
import { GuestAgent } from './guest-agent.ts';
import { type HostRelease, installedHostImage } from './host-image.ts';

export interface VirtualHostOptions {
  readonly name: string;
  /** Debian release. */
  readonly release?: HostRelease;
  /** Unique within the run, below eight. */
  readonly number: number;
  /** File system images, attached read-only as /dev/vdb and following. */
  readonly disks?: readonly string[];
  readonly memoryMb?: number;
}

const bootSeconds = 300;
const commandSeconds = 300;
const cores = 2;

export class VirtualHost implements AsyncDisposable {
  /** Address of the outer end of the wire. */
  readonly outside: string;
  /** Address of the machine. */
  readonly address: string;
  /** Name of the outer end of the wire. */
  readonly wire: string;
  readonly #folder: string;
  readonly #emulator: ChildProcess;
  readonly #agent: GuestAgent;

  private constructor(made: Pick<VirtualHost, 'outside' | 'address' | 'wire'>, folder: string, emulator: ChildProcess) {
    this.outside = made.outside;
    this.address = made.address;
    this.wire = made.wire;
    this.#folder = folder;
    this.#emulator = emulator;
    this.#agent = new GuestAgent(join(folder, 'agent.sock'));
  }

  /** Resolves once the machine has booted and takes commands. */
  static async start(options: VirtualHostOptions): Promise<VirtualHost> {
    const { name, release = 'trixie', number, disks = [], memoryMb = 3_072 } = options;
    const image = await installedHostImage(release);
    const folder = await runFolder(`vm-${name}`);
    const [outside, address] = wireAddresses(number);
    const wire = runLink(number);
    await mkdir(join(folder, 'tmp'), { recursive: true });
    ip('tuntap', 'add', 'dev', wire, 'mode', 'tap');
    ip('address', 'add', `${outside}/30`, 'dev', wire);
    ip('link', 'set', wire, 'up');
    const { program, args, env } = await emulatorCommand();
    const log = openSync(join(folder, 'emulator.log'), 'a');
    const drive = (file: string, settings: string) => ['-drive', `file=${file},if=virtio,format=raw,${settings}`];
    const child = spawn(
      program,
      [
        ...args,
        ...['-accel', 'tcg,thread=multi', '-cpu', 'max', '-smp', String(cores), '-m', String(memoryMb)],
        ...['-display', 'none', '-monitor', 'none', '-serial', `file:${join(folder, 'console.log')}`],
        // Writes go to a separate file, which disappears with the process.
        ...drive(image.disk, 'snapshot=on,cache=unsafe'),
        ...disks.flatMap((disk) => drive(disk, 'readonly=on')),
        ...['-netdev', `tap,id=wire,ifname=${wire},script=no,downscript=no`, '-device', 'virtio-net-pci,netdev=wire'],
        ...['-chardev', `socket,id=agent,path=${join(folder, 'agent.sock')},server=on,wait=off`],
        ...['-device', 'virtio-serial', '-device', 'virtserialport,chardev=agent,name=org.qemu.guest_agent.0'],
        ...['-qmp', `unix:${join(folder, 'control.sock')},server=on,wait=off`],
        ...['-kernel', image.kernel, '-initrd', image.initrd],
        ...['-append', kernelCommandLine({ outside, address })],
      ],
      { env: { ...runEnvironment(), ...env, TMPDIR: join(folder, 'tmp') }, stdio: ['ignore', log, log], cwd: folder },
    );
    const host = new VirtualHost({ outside, address, wire }, folder, child);
    try {
      await host.#untilBooted(undefined);
      return host;
    } catch (error) {
      await host[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Returns the output of a shell command; throws with all its output when it fails. */
  async run(line: string, timeoutSeconds = commandSeconds): Promise<string> {
    const { code, stdout, stderr } = await this.#agent.execute('/bin/sh', ['-c', line], timeoutSeconds);
    if (code !== 0) throw new Error(`"${line}" ended with ${code} in the virtual machine:\n${stdout}${stderr}`);
    return stdout;
  }

  async write(path: string, text: string): Promise<void> {
    const base64 = Buffer.from(text).toString('base64');
    await this.run(`mkdir -p "$(dirname '${path}')" && echo ${base64} | base64 --decode > '${path}'`);
  }

  /** Orderly reboot: every service is stopped first. */
  async reboot(): Promise<void> {
    const before = await this.#bootId();
    // The agent is stopped too, maybe before it has told the end of the command. The new boot shows whether it worked.
    await this.run('systemctl --no-block reboot').catch(() => {});
    await this.#untilBooted(before);
  }

  /** Resets without warning, as after a power cut. Data written before stays. */
  async resetHard(): Promise<void> {
    const before = await this.#bootId();
    await this.run('sync');
    const control = connect(join(this.#folder, 'control.sock'));
    await once(control, 'connect');
    control.write('{"execute":"qmp_capabilities"}\n{"execute":"system_reset"}\n');
    await sleep(1_000);
    control.destroy();
    await this.#untilBooted(before);
  }

  /** End of the machine's console output. */
  async consoleEnd(): Promise<string> {
    const files = ['console.log', 'emulator.log'].map((name) => join(this.#folder, name));
    const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
    return texts.map((text) => text.slice(-3_000)).join('\n');
  }

  async #bootId(): Promise<string> {
    return (await this.run('cat /proc/sys/kernel/random/boot_id')).trim();
  }

  async #untilBooted(before: string | undefined): Promise<void> {
    const giveUpAt = Date.now() + bootSeconds * 1_000;
    for (;;) {
      const now = await this.#bootId().catch(() => before);
      if (now !== before) return;
      const isDead = this.#emulator.exitCode !== null || this.#emulator.signalCode !== null;
      if (isDead || Date.now() > giveUpAt)
        throw new Error(
          `The virtual machine ${isDead ? 'ended' : `did not start within ${bootSeconds} s`}. It printed last:\n${await this.consoleEnd()}`,
        );
      await sleep(500);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#emulator.exitCode === null && this.#emulator.signalCode === null) {
      const ended = once(this.#emulator, 'exit');
      this.#emulator.kill('SIGKILL');
      await ended;
    }
    spawnSync('ip', ['link', 'delete', this.wire]);
  }
}

/**
 * systemd's network generator reads `ip=`. `net.ifnames=0` keeps the old device names: otherwise the first device would
 * be named by its slot.
 */
const kernelCommandLine = ({ outside, address }: Pick<VirtualHost, 'outside' | 'address'>): string =>
  [
    ...['root=/dev/vda', 'rw', 'console=ttyS0', 'quiet', 'mitigations=off', 'net.ifnames=0'],
    `ip=${address}::${outside}:255.255.255.252:virtual-host:eth0:none`,
  ].join(' ');

const ip = (...args: string[]): void => void execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] });
