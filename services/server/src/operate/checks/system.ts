import { existsSync } from 'node:fs';
import { arch, platform } from 'node:os';
import type { Check, LookedAtMachine } from './check.ts';

export const system: Check<LookedAtMachine> = {
  name: 'system',
  why: 'the programs of the release run on Linux on x64, and systemd starts the runner with the machine',
  when: 'both',
  async look() {
    if (platform() !== 'linux' || arch() !== 'x64')
      return { what: `This machine is ${platform()} on ${arch()}.`, fix: 'use a machine with Linux on x64' };
    if (existsSync('/run/systemd/system')) return undefined;
    return { what: 'systemd does not run this machine.', fix: 'use a machine that is started by systemd' };
  },
};
