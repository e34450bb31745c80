import { answers } from '../machine/answers.ts';
import { restartsOf } from '../machine/docker.ts';
import { Fault } from '../machine/fault.ts';
import { ports } from '../machine/ports.ts';
import { controlServices } from '../machine/services.ts';
import { waitUntil } from '../machine/wait-until.ts';
import type { Step } from '../steps/run-steps.ts';
import { runsAsWanted, startServices } from './compose.ts';
import type { UpContext } from './up-context.ts';

const readySeconds = 90;
/** Docker starts a program again that has ended. A program that ends this often does not start at all. */
const hopelessRestarts = 3;
const state = 'BERTH_SERVICES_STATE';

/** One after the other: a gateway is replaced while the other one accepts connections. */
const services: readonly {
  readonly name: (typeof controlServices)[number];
  readonly healthPorts: readonly number[];
}[] = [
  { name: 'control', healthPorts: [ports.apiHealth, ports.orchestratorHealth] },
  { name: 'gateway-1', healthPorts: [ports.gatewayHealth] },
  { name: 'gateway-2', healthPorts: [ports.secondGatewayHealth] },
];

export const startControlPlane: Step<UpContext> = {
  name: 'control plane',
  isDone: async (context) =>
    (await runsAsWanted(context, controlServices, state)) &&
    (await Promise.all(services.map(isReady)).then(
      () => true,
      () => false,
    )),
  async run(context) {
    for (const service of services) {
      await startServices(context, [service.name]);
      await waitUntil(
        readySeconds,
        () => isReady(service),
        async () => (await restartsOf(context.run, service.name)) >= hopelessRestarts,
      );
    }
    return undefined;
  },
};

async function isReady({ name, healthPorts }: (typeof services)[number]): Promise<void> {
  const looks = healthPorts.map((port) => answers(`http://127.0.0.1:${port}/readyz`));
  await Promise.all(looks).catch((cause: unknown) => {
    throw new Fault(`${name} is not ready.`, `docker logs --tail 30 berth-${name}-1`, { cause });
  });
}
