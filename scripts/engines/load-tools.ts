// What the proxies are measured with, and against.
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
