// Load generator for the proxy benches, and the proxy to compare with.
import { requireDebianPackages } from './debian-packages.ts';
import type { Installable } from './engine.ts';

export const NGINX = '/usr/sbin/nginx';
export const WRK = '/usr/bin/wrk';

export const loadTools: Installable = {
  name: 'load-tools',
  async install() {
    requireDebianPackages('nginx or wrk', ['nginx-light', 'wrk'], [NGINX, WRK]);
  },
};
