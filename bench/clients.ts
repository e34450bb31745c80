// What the clients add to a command, and the cycle by which sandbox services are compared, by the TypeScript client.
import { setTimeout as sleep } from 'node:timers/promises';
import { Berth } from 'berth-sdk';
import { python } from '../engines/python.ts';
import { SandboxMachine } from '../tests/harness/sandbox-machine.ts';
import { instancesOf } from '../tests/harness/workloads.ts';
import type { Bench, Measure } from './bench.ts';
import { copyBesideDocker } from './clients/copy-beside-docker.ts';
import { type ExecPlace, type ExecTimes, execByPython, execByTypescript } from './clients/exec-beside-bare.ts';
import { quantile, rounded, timedMs } from './support/statistics.ts';

const pool = 32;
const memory = 4_096;
const staggerMs = 200;

export const clients: Bench = {
  name: 'clients',
  about:
    'exec of `true` by each client / a bare request on a kept connection; cp / docker cp; create, command, delete in three modes',
  async *run({ full }) {
    await python.install();
    await using machine = await SandboxMachine.start({
      ...{ name: 'clients', isolation: 'runc', pool },
      // Overcommit admits a hundred sandboxes at once, since they do not use their memory.
      settings: { BERTH_PLACEMENT_SANDBOXES_OVERCOMMIT: '64' },
    });
    const { fleet, image, gateway: gatewayUrl } = machine;
    const berth = new Berth({ url: fleet.url, key: fleet.key, workspace: 'main', gatewayUrl });
    const box = await berth.sandboxes.create({ name: 'commands', image, memory });
    const place: ExecPlace = { url: fleet.url, key: fleet.key, gatewayUrl, sandbox: box.name };
    const count = full ? 2_000 : 300;
    yield* beside('TypeScript', 'node:http', await execByTypescript(box, place, count), 1.15);
    yield* beside('Python', 'httpx', await execByPython(place, count), 1.3);
    const [instance] = await instancesOf(fleet, box.name);
    const { dockerUrl } = machine.machine;
    const copies = await copyBesideDocker({ ...place, container: `berth-${instance?.id}`, dockerUrl });
    for (const [way, { ours, docker }] of Object.entries(copies)) {
      yield {
        name: `cp of 2 000 files ${way}, berth / docker, p50`,
        value: quantile(ours, 0.5) / quantile(docker, 0.5),
        unit: 'x',
        bound: { atMost: 2 },
        detail: { ours: rounded(quantile(ours, 0.5)), docker: rounded(quantile(docker, 0.5)), n: ours.length },
      };
    }
    await box.delete();

    const cycle = (name: string): Promise<number> =>
      timedMs(async () => {
        await using made = await berth.sandboxes.create({ name, image, memory });
        const { stdout } = await made.exec('echo ready');
        if (stdout !== 'ready\n') throw new Error(`It said ${stdout}.`);
      });
    const numbers = Array.from({ length: full ? 100 : 10 }, (_, at) => at);
    const modes: Readonly<Record<string, () => Promise<number[]>>> = {
      async sequential() {
        const times = [];
        for (const at of numbers) times.push(await cycle(`sequential-${at}`));
        return times;
      },
      staggered: () => Promise.all(numbers.map((at) => sleep(at * staggerMs).then(() => cycle(`staggered-${at}`)))),
      burst: () => Promise.all(numbers.map((at) => cycle(`burst-${at}`))),
    };
    for (const [mode, run] of Object.entries(modes)) {
      await machine.untilRested();
      yield* figures(`cycle, ${mode}`, await run());
    }
  },
};

/** The ratio is that of medians; both ran by turns, so that a busy moment of the machine affects them alike. */
function* beside(client: string, other: string, { ours, bare }: ExecTimes, atMost: number): Generator<Measure> {
  yield* figures(`exec, ${client} client`, ours);
  yield* figures(`exec, ${other} alone`, bare);
  yield {
    name: `exec, ${client} client / ${other}, p50`,
    value: quantile(ours, 0.5) / quantile(bare, 0.5),
    unit: 'x',
    bound: { atMost },
    detail: { p99: rounded(quantile(ours, 0.99) / quantile(bare, 0.99)) },
  };
}

function* figures(name: string, times: readonly number[]): Generator<Measure> {
  for (const [key, share] of [
    ['p50', 0.5],
    ['p99', 0.99],
  ] as const)
    yield { name: `${name}, ${key}`, value: quantile(times, share), unit: 'ms', detail: { n: times.length } };
}
