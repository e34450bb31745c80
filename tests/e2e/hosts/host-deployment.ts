// A deployment whose only runner is an emulated virtual machine. Emulation is slow: everything in it takes long.
import { type Fleet, startFleet } from '../../../engines/fleet/fleet.ts';
import { importTiny, RunnerHost, type RunnerHostOptions } from '../../../engines/virtual-host/runner-host.ts';

export const minutes = 60_000;
export const patience = { timeout: 5 * minutes, interval: 1_000 };
export const startMinutes = 15;

/** Image in which everything runs as root, which may write everywhere. */
export const boxImage = 'berth-box:latest';
/** The only machine of its fleet. */
export const machineNumber = 1;

/** Machines with both image stores and both versions of Docker that Debian has. */
export const hosts = [
  { host: 'Debian 13, Docker 26 with overlay2', release: 'trixie', docker: {}, version: /^26\./, driver: 'overlay2' },
  {
    host: 'Debian sid, Docker 28 with containerd’s image store',
    release: 'sid',
    docker: { features: { 'containerd-snapshotter': true } },
    version: /^28\./,
    driver: 'overlayfs',
  },
] as const;

export interface HostDeployment extends AsyncDisposable {
  readonly fleet: Fleet;
  readonly machine: RunnerHost;
}

/** Starts a deployment whose runner is ready and has an image for sandboxes. */
export async function startHostDeployment(options: Omit<RunnerHostOptions, 'number'>): Promise<HostDeployment> {
  await using made = new AsyncDisposableStack();
  const fleet = made.use(
    await startFleet({
      name: `hosts-${options.name}`,
      workspaces: ['main', 'other'],
      machines: 0,
      gateways: 1,
      // Lets sandboxes run on runc too, so that both classes are tested.
      settings: { BERTH_PLACEMENT_START_TIMEOUT_SECONDS: '300', BERTH_PLACEMENT_RUNC_FOR: 'everything' },
    }),
  );
  const machine = made.use(await RunnerHost.start(fleet, { number: machineNumber, ...options }));
  await importTiny(machine.host, boxImage, ['ENV PATH=/bin']);
  const kept = made.move();
  return { fleet, machine, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
