// A whole machine for tests of the installation: Debian 13 with its own systemd, Docker, network, firewall and cgroups, at native
// speed on the kernel of this machine. It reaches nothing but the outer end of its wire.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cgroupsWhere, killProcessesIn, removeCgroup } from '../cgroups.ts';
import { runEnvironment, runFolder, runLink, runName } from '../run.ts';
import { connectNamespace, connectNamespaces, wireAddresses } from '../wire.ts';
import { makeBoxCgroup } from './box-cgroup.ts';
import { installedBoxRoot } from './box-root.ts';
import { type Command, type CommandOptions, type Ended, startInside } from './inside.ts';

export interface BoxOptions {
  /** Unique within the run. */
  readonly name: string;
  /** Unique within the run, below eight. */
  readonly number: number;
  /** Folders of this machine, by their paths in the box, which can only read them. */
  readonly folders?: Readonly<Record<string, string>>;
  /** Limit for everything in the box. The box itself still sees the memory of this machine. */
  readonly memoryMb?: number;
}

const bootSeconds = 120;
const program = join(import.meta.dirname, 'start-init.sh');
/** Joins the cgroup, whose files come before `--`, and goes on as the rest of the words. */
const joinCgroup = 'while [ "$1" != -- ]; do echo $$ >"$1"; shift; done; shift; exec "$@"';

export class Box implements AsyncDisposable {
  /** Address of the outer end of the wire, where the box finds what a test serves. */
  readonly outside: string;
  readonly address: string;
  readonly #name: string;
  readonly #wire: string;
  readonly #folder: string;
  #child: ChildProcess | undefined;
  #init = 0;

  private constructor(name: string, number: number, folder: string) {
    [this.outside, this.address] = wireAddresses(number);
    this.#name = runName(`box-${name}`);
    this.#wire = runLink(number);
    this.#folder = folder;
  }

  /** Resolves once every unit of the box has started. */
  static async start(options: BoxOptions): Promise<Box> {
    const box = new Box(options.name, options.number, await runFolder(`box-${options.name}`));
    try {
      await box.#launch(options);
      await box.#untilBooted();
      return box;
    } catch (error) {
      await box[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #launch({ folders = {}, memoryMb }: BoxOptions): Promise<void> {
    const image = await installedBoxRoot();
    for (const name of ['root', 'changes', 'work', 'docker', 'containerd'])
      await mkdir(join(this.#folder, name), { recursive: true });
    const { outside, address } = this;
    connectNamespace({ namespace: this.#name, wire: this.#wire, outside, address });
    const log = openSync(this.#console, 'a');
    const child = spawn(
      'sh',
      [
        ...['-c', joinCgroup, 'sh', ...makeBoxCgroup(this.#name, memoryMb), '--'],
        ...['nsenter', `--net=/run/netns/${this.#name}`, '--'],
        ...['unshare', '--mount', '--uts', '--ipc', '--pid', '--cgroup', '--fork', '--'],
        ...['sh', program, this.#folder, image],
        ...Object.entries(folders).flatMap(([inside, folder]) => [folder, inside]),
      ],
      {
        cwd: '/',
        env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', ...runEnvironment() },
        stdio: ['ignore', log, log],
        detached: true,
      },
    );
    child.on('error', () => {});
    child.unref();
    this.#child = child;
  }

  async #untilBooted(): Promise<void> {
    const giveUpAt = Date.now() + bootSeconds * 1_000;
    for (;;) {
      this.#init = this.#findInit() ?? 0;
      // Answers once all units of the boot have started or failed.
      const state = this.#init === 0 ? '' : (await this.exec('systemctl is-system-running --wait')).output.trim();
      if (state === 'running') return;
      const hasEnded = this.#child?.exitCode !== null || this.#child.signalCode !== null;
      if (state === 'degraded' || hasEnded || Date.now() > giveUpAt) {
        const failed = state === 'degraded' ? (await this.exec('systemctl --failed --no-legend')).output : '';
        throw new Error(`The box did not boot (${state}). ${failed}It printed last:\n${await this.consoleEnd()}`);
      }
      await sleep(50);
    }
  }

  /** The only child of `unshare`. It becomes systemd when the file systems are there. */
  #findInit(): number | undefined {
    const pid = this.#child?.pid;
    try {
      const [init] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
      const isSystemd = init !== undefined && readFileSync(`/proc/${init}/comm`, 'utf8') === 'systemd\n';
      return isSystemd ? Number(init) : undefined;
    } catch {
      return undefined;
    }
  }

  /** A wire to another box, on which both reach each other by their addresses. The number is unique within the run, like that of a box. */
  connect(other: Box, number: number): void {
    const end = (box: Box) => ({ namespace: box.#name, address: box.address });
    connectNamespaces([end(this), end(other)], number);
  }

  /** Starts a shell command as a unit of the box. */
  start(line: string, options: CommandOptions = {}): Command {
    return startInside(this.#init, line, options);
  }

  exec(line: string): Promise<Ended> {
    return this.start(line).ended;
  }

  /** Returns what a shell command prints; throws with all its output when it fails. */
  async run(line: string): Promise<string> {
    const { code, stdout, output } = await this.exec(line);
    if (code !== 0) throw new Error(`"${line}" ended with ${code} in the box:\n${output}`);
    return stdout;
  }

  get #console(): string {
    return join(this.#folder, 'console.log');
  }

  async consoleEnd(): Promise<string> {
    return (await readFile(this.#console, 'utf8').catch(() => '')).slice(-3_000);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const child = this.#child;
    const cgroups = await cgroupsWhere((name) => name === this.#name);
    await killProcessesIn(cgroups);
    if (child !== undefined && child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    for (const cgroup of cgroups) await removeCgroup(cgroup);
    spawnSync('ip', ['link', 'delete', this.#wire]);
    spawnSync('ip', ['netns', 'delete', this.#name]);
    await rm(this.#folder, { recursive: true, force: true });
  }
}
