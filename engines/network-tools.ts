// Tools with which the runner configures its network: nft, ip and sysctl.
import { requireDebianPackages } from './debian-packages.ts';
import type { Installable } from './engine.ts';

export const networkTools: Installable = {
  name: 'network-tools',
  async install() {
    requireDebianPackages(
      'nftables, iproute2 or procps',
      ['nftables', 'iproute2', 'procps'],
      ['/usr/sbin/nft', '/sbin/ip', '/sbin/sysctl'],
    );
  },
};
