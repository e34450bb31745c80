// Load generator for the proxy benches, and the proxy to compare with.
import { requireDebianPackages } from './debian-packages.ts';
import type { Installable } from './engine.ts';

export const nginxProgram = '/usr/sbin/nginx';
export const wrkProgram = '/usr/bin/wrk';

export const loadTools: Installable = {
  name: 'load-tools',
  async install() {
    requireDebianPackages('nginx or wrk', ['nginx-light', 'wrk'], [nginxProgram, wrkProgram]);
  },
};
