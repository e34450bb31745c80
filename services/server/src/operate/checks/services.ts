import { serviceContainers } from '../machine/docker.ts';
import { servicesOf } from '../machine/services.ts';
import type { Check } from './check.ts';

export const services: Check = {
  name: 'services',
  why: 'each container of the control plane has a job that the others do not do',
  when: 'running',
  needs: ['docker'],
  async look({ run, choices }) {
    const found = await serviceContainers(run);
    const running = found.filter(({ isRunning }) => isRunning).map(({ service }) => service);
    const missing = servicesOf(choices).filter((name) => !running.includes(name));
    return missing.length === 0
      ? undefined
      : { what: `These do not run: ${missing.join(', ')}.`, fix: 'berth-server up' };
  },
};
