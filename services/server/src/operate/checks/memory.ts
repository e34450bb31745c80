import { totalmem } from 'node:os';
import type { Check } from './check.ts';

const leastMb = 3_500;

export const memory: Check = {
  name: 'memory',
  why: 'engines and control plane take 1.5 GB, and instances need some too',
  when: 'before',
  async look() {
    const foundMb = Math.floor(totalmem() / 2 ** 20);
    return foundMb >= leastMb
      ? undefined
      : { what: `This machine has ${foundMb} MB of memory; ${leastMb} are needed.`, fix: 'give it more memory' };
  },
};
