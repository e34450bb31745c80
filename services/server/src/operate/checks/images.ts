import { imageNames, neededImages } from '../install/image-names.ts';
import { hasImage } from '../machine/docker.ts';
import type { Check } from './check.ts';

export const images: Check = {
  name: 'images',
  why: 'a service that is started again needs its image',
  when: 'running',
  needs: ['docker'],
  async look({ run, record, choices }) {
    const known = record();
    if (known === undefined) return undefined;
    const needed = neededImages(imageNames(known.version, known.images), choices.withLogs);
    const found = await Promise.all(needed.map((name) => hasImage(run, name)));
    const missing = needed.filter((_, index) => !found[index]);
    return missing.length === 0
      ? undefined
      : { what: `These images are not on this machine: ${missing.join(', ')}.`, fix: 'berth-server up' };
  },
};
