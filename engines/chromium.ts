// Browser that tests open pages with.
import { requireDebianPackages } from './debian-packages.ts';
import type { Installable } from './engine.ts';

export const chromiumProgram = '/usr/bin/chromium';

export const chromium: Installable = {
  name: 'chromium',
  async install() {
    requireDebianPackages('Chromium', ['chromium'], [chromiumProgram]);
  },
};
