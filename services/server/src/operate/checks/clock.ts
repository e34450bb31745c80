import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { releaseFolder } from '@berth/release';
import { z } from 'zod';
import type { Check, LookedAtMachine } from './check.ts';

const About = z.object({ builtAt: z.iso.datetime() });

export const clock: Check<LookedAtMachine> = {
  name: 'clock',
  why: 'certificates, keys and schedules are judged by it',
  when: 'both',
  async look() {
    if (releaseFolder === undefined) return undefined;
    const { builtAt } = About.parse(JSON.parse(await readFile(join(releaseFolder, 'release.json'), 'utf8')));
    if (Date.now() >= Date.parse(builtAt)) return undefined;
    return {
      what: `It is ${new Date().toISOString()} by the clock of this machine, before this version was made (${builtAt}).`,
      fix: 'timedatectl set-ntp true',
    };
  },
};
