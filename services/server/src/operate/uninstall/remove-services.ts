import type { Installation } from '../install/installation.ts';
import { removeContainer, serviceContainers } from '../machine/docker.ts';
import type { Step } from '../steps/run-steps.ts';

/** Callers stop before the services that they call. */
const order = ['edge', 'gateway-2', 'gateway-1', 'control', 'restate', 'clickhouse', 'postgres'];

export const removeServices: Step<Installation> = {
  name: 'control plane',
  isDone: async ({ run }) => (await serviceContainers(run)).length === 0,
  async run({ run }) {
    const found = await serviceContainers(run);
    const ordered = found.toSorted((one, other) => order.indexOf(one.service) - order.indexOf(other.service));
    for (const { id } of ordered) await removeContainer(run, id);
    return ordered.map(({ service }) => service).join(', ');
  },
};
