import { neededImages } from '../install/image-names.ts';
import { commandOf } from '../install/install-record.ts';
import { hasImage } from '../machine/docker.ts';
import type { Check, LookedAtMachine } from './check.ts';

export const images: Check<LookedAtMachine> = {
  name: 'images',
  why: 'a service that is started again needs its image',
  when: 'running',
  needs: ['docker'],
  async look({ run, record }) {
    const known = record();
    if (known === undefined) return undefined;
    const needed = neededImages(known, known.version);
    const found = await Promise.all(needed.map((name) => hasImage(run, name)));
    const missing = needed.filter((_, index) => !found[index]);
    return missing.length === 0
      ? undefined
      : {
          what: `These images are not on this machine: ${missing.join(', ')}.`,
          fix: `berth-server ${commandOf(known)}`,
        };
  },
};
