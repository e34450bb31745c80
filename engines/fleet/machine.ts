// A machine for a runner: a network namespace with one wire (veth pair) to the outside, a Docker Engine inside it, and
// the runner itself.
import { execFileSync, spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type DataDisk, mountDataDisk } from '../data-disk.ts';
import { docker } from '../docker.ts';
import { runLink, runName } from '../run.ts';
import { ServerProcess } from '../server-process.ts';
import { importTinyImage } from '../tiny-image.ts';
import { connectNamespace, wireAddresses } from '../wire.ts';

export type EngineSettings = {
  /** Separate file system for the engine's data. */
  disk?: DataDisk;
  /** Size limit of a gVisor container's writable layer, in gVisor's notation. */
  gvisorLayerSize?: string;
};

export type MachineOptions = {
  name: string;
  /** Folder for its data. */
  folder: string;
  /** Folder of its Docker Engine, whose sockets need a short path. Removed with the machine. */
  dockerFolder: string;
  /** Unique within the run, below eight. */
  number: number;
  nodePort: number;
  joinToken: string;
  /** Guest runtime for its sandboxes. */
  guestFolder: string;
  settings?: Readonly<Record<string, string>>;
  engine?: EngineSettings;
};

export class Machine implements AsyncDisposable {
  readonly name: string;
  readonly dockerFolder: string;
  /** State folder of its runner. */
  readonly stateFolder: string;
  readonly netns: string;
  readonly runner: ServerProcess;
  /** Address of the outer end of the wire, at which the machine reaches the api. */
  readonly outside: string;
  /** Address of the machine itself, as seen from outside. */
  readonly address: string;
  /** Name of the outer end of the wire. */
  readonly wire: string;
  readonly nodePort: number;
  readonly #namespace: string;
  readonly #engine: EngineSettings;
  #dockerUrl = '';
  #dockerPid = 0;

  constructor(options: MachineOptions) {
    const { name, folder, dockerFolder, number, nodePort, joinToken, guestFolder, settings, engine = {} } = options;
    this.name = name;
    this.#engine = engine;
    this.#namespace = runName(name);
    this.wire = runLink(number);
    this.netns = `/run/netns/${this.#namespace}`;
    const [outside, inside] = wireAddresses(number);
    this.outside = outside;
    this.address = inside;
    this.nodePort = nodePort;
    this.dockerFolder = dockerFolder;
    this.stateFolder = join(folder, `runner-${name}`);
    this.runner = new ServerProcess({
      roles: 'runner',
      netns: this.netns,
      log: join(folder, `runner-${name}.log`),
      env: {
        BERTH_RUNNER_API_URL: `https://${this.outside}:${nodePort}`,
        BERTH_RUNNER_JOIN_TOKEN: joinToken,
        BERTH_RUNNER_NAME: name,
        BERTH_RUNNER_STATE_FOLDER: this.stateFolder,
        BERTH_RUNNER_DOCKER_URL: `unix://${join(this.dockerFolder, 'docker.sock')}`,
        BERTH_RUNNER_GUEST_FOLDER: guestFolder,
        BERTH_RUNNER_INGRESS_HOST: this.address,
        // Images imported by tests; no registry has them.
        BERTH_RUNNER_SHARED_IMAGES: '["docker.io/library/*"]',
        BERTH_HEALTH_PORTS_RUNNER: '0',
        ...settings,
      },
    });
  }

  get dockerUrl(): string {
    return this.#dockerUrl;
  }

  /** Creates the network, and starts Docker with the tiny image; the runner is started separately. */
  async prepare(): Promise<void> {
    const { wire, outside, address } = this;
    connectNamespace({ namespace: this.#namespace, wire, outside, address });
    const { disk } = this.#engine;
    if (disk !== undefined) await mountDataDisk(this.dockerFolder, disk);
    await this.startDocker();
    await importTinyImage(this.#dockerUrl);
  }

  async startDocker(): Promise<void> {
    const { gvisorLayerSize } = this.#engine;
    const { url, pid } = await docker.start({
      dataFolder: this.dockerFolder,
      netns: this.netns,
      // For tests that run a registry on the outer side of the wire.
      openRegistries: ['198.18.0.0/15'],
      ...(gvisorLayerSize && { gvisorLayerSize }),
    });
    this.#dockerUrl = url;
    this.#dockerPid = pid;
  }

  /** SIGKILL: its containers keep running. */
  killDocker(): void {
    process.kill(this.#dockerPid, 'SIGKILL');
  }

  /** Runs a program inside the machine's network and returns its output. */
  inside(command: string, ...args: string[]): string {
    return execFileSync('nsenter', [`--net=${this.netns}`, '--', command, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      encoding: 'utf8',
      timeout: 20_000,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.runner.stop();
    await docker.stop(this.dockerFolder);
    await rm(this.dockerFolder, { recursive: true, force: true });
    spawnSync('ip', ['link', 'delete', this.wire]);
    spawnSync('ip', ['netns', 'delete', this.#namespace]);
  }
}
