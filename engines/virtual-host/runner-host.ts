// A virtual machine with the runner installed as an operator does it: a systemd service, started with the machine.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fleet } from '../fleet/fleet.ts';
import { tinyImageSettings } from '../tiny-image.ts';
import { dockerSettings } from './host-image.ts';
import { makeProgramDisk } from './program-disk.ts';
import { VirtualHost, type VirtualHostOptions } from './virtual-host.ts';

export interface RunnerHostOptions extends Pick<VirtualHostOptions, 'name' | 'release' | 'number'> {
  /** Settings of the runner, as variables. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Docker settings, besides those that every machine has. */
  readonly docker?: Readonly<Record<string, unknown>>;
}

type Variables = Readonly<Record<string, string | undefined>>;

const startSeconds = 900;
/** Of one start: `configure` begins a new count. */
const maxRestarts = 3;
const variablesFile = '/etc/berth/runner.env';
const program = '/usr/local/bin/node /opt/berth/server/server/berth-server.js --role runner';
const unit = 'berth-runner';
/** systemd counts the starts of a minute, and refuses the fourth. */
const restartDocker = 'systemctl reset-failed docker.service && systemctl restart docker';

export class RunnerHost implements AsyncDisposable {
  readonly host: VirtualHost;
  #variables: Variables;

  private constructor(host: VirtualHost, variables: Variables) {
    this.host = host;
    this.#variables = variables;
  }

  /** Resolves once the runner has joined and is ready. */
  static async start(fleet: Fleet, { settings = {}, docker = {}, ...machine }: RunnerHostOptions): Promise<RunnerHost> {
    await using made = new AsyncDisposableStack();
    const host = made.use(await VirtualHost.start({ ...machine, disks: [await makeProgramDisk()] }));
    const variables = {
      BERTH_RUNNER_API_URL: `https://${host.outside}:${fleet.nodePort}`,
      BERTH_RUNNER_JOIN_TOKEN: await fleet.createJoinToken(),
      BERTH_RUNNER_NAME: machine.name,
      BERTH_RUNNER_GUEST_FOLDER: '/opt/berth/guest',
      BERTH_RUNNER_INGRESS_HOST: host.address,
      // Images imported by tests; no registry has them.
      BERTH_RUNNER_SHARED_IMAGES: '["docker.io/library/*"]',
      BERTH_HEALTH_PORTS_RUNNER: '0',
      NODE_COMPILE_CACHE: '/var/cache/berth-compiled',
      ...settings,
    };
    await host.write('/etc/docker/daemon.json', JSON.stringify({ ...dockerSettings, ...docker }));
    await host.write(variablesFile, environmentFile(variables));
    await host.write('/etc/systemd/system/opt-berth.mount', mountUnit);
    await host.write(`/etc/systemd/system/${unit}.service`, serviceUnit);
    await host.run('systemctl daemon-reload && systemctl restart docker');
    await host.run('systemctl enable --now opt-berth.mount');
    await importTiny(host, 'berth-tiny:latest', tinyImageSettings);
    const runnerHost = new RunnerHost(host, variables);
    await host.run(`systemctl enable --now ${unit}`);
    await runnerHost.untilReady();
    made.move();
    return runnerHost;
  }

  /** Restarts the runner with these variables added to its own; an undefined value removes a variable. */
  async configure(variables: Variables): Promise<void> {
    this.#variables = { ...this.#variables, ...variables };
    await this.host.write(variablesFile, environmentFile(this.#variables));
    await this.host.run(`systemctl restart ${unit}`);
    await this.untilReady();
  }

  /** Changes Docker's settings and restarts Docker. */
  async configureDocker(settings: Readonly<Record<string, unknown>>): Promise<void> {
    await this.host.write('/etc/docker/daemon.json', JSON.stringify({ ...dockerSettings, ...settings }));
    await this.host.run(restartDocker);
  }

  stop(): Promise<unknown> {
    return this.host.run(`systemctl stop ${unit}`);
  }

  /**
   * Starts a runner beside the service, until it ends or `seconds` are over, and returns its output. `prefix` is a
   * program that starts it.
   */
  async tryStart(prefix: string, seconds: number): Promise<string> {
    const start = `set -a; . ${variablesFile}; timeout ${seconds} ${prefix} ${program} 2>&1; echo "ended with $?"`;
    return this.host.run(start, 2 * seconds);
  }

  /** Waits for the current process of the runner. */
  async untilReady(): Promise<void> {
    const giveUpAt = Date.now() + startSeconds * 1_000;
    while (!(await this.log()).includes('"msg":"ready"')) {
      const restarts = Number(await this.host.run(`systemctl show --value --property NRestarts ${unit}`));
      if (restarts >= maxRestarts) throw new Error(`The runner ends again and again:\n${await this.lastLines()}`);
      if (Date.now() > giveUpAt)
        throw new Error(`The runner is not ready after ${startSeconds} s:\n${await this.lastLines()}`);
      await sleep(1_000);
    }
  }

  /** Log of the runner since its last start. */
  log(): Promise<string> {
    return this.host.run(
      `journalctl --output cat --no-pager _SYSTEMD_INVOCATION_ID=$(systemctl show --value --property InvocationID ${unit})`,
    );
  }

  /** Of earlier processes too. */
  lastLines(): Promise<string> {
    return this.host.run(`journalctl --unit ${unit} --output cat --no-pager --lines 40`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.host[Symbol.asyncDispose]();
  }
}

/** Imports the tiny image, with settings in Dockerfile syntax. */
export async function importTiny(host: VirtualHost, name: string, settings: readonly string[]): Promise<void> {
  const changes = settings.map((setting) => `--change '${setting}'`).join(' ');
  await host.run(`docker import ${changes} /opt/berth/tiny.tar ${name}`);
}

const environmentFile = (variables: Variables): string =>
  Object.entries(variables)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}='${value}'\n`)
    .join('');

const mountUnit = `[Unit]
Description=The server's program

[Mount]
What=/dev/vdb
Where=/opt/berth
Type=ext4
Options=ro

[Install]
WantedBy=multi-user.target
`;

/** Same unit as in `docs/operations/runners.md`. */
const serviceUnit = `[Unit]
Description=Berth runner
Wants=network-online.target
After=network-online.target docker.service
RequiresMountsFor=/opt/berth

[Service]
EnvironmentFile=${variablesFile}
ExecStart=${program}
Restart=always
RestartSec=2
KillMode=process
TimeoutStopSec=60

[Install]
WantedBy=multi-user.target
`;
