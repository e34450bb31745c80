import { lookup } from 'node:dns/promises';
import { publicHosts } from '../settings/edge-hosts.ts';
import type { Check } from './check.ts';

const isPrivate = (address: string): boolean =>
  /^(10\.|127\.|192\.168\.|169\.254\.|172\.(1[6-9]|2\d|3[01])\.|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.)/.test(address);

export const names: Check = {
  name: 'names',
  why: 'clients reach the deployment by them, and an authority signs only for names that lead here',
  when: 'both',
  async look({ choices }) {
    for (const host of publicHosts(choices)) {
      const found = await lookup(host, { all: true, family: 4 }).catch(() => []);
      const addresses = found.map(({ address }) => address);
      const record = `add to the zone of your domain: ${host}. A ${choices.address}`;
      if (addresses.length === 0) return { what: `${host} has no address.`, fix: record };
      // Behind a translated address the machine does not know how others reach it.
      if (addresses.includes(choices.address) || isPrivate(choices.address)) continue;
      return {
        what: `${host} leads to ${addresses.join(', ')}, and this machine is ${choices.address}.`,
        fix: `${record}; or name the address of this machine: berth-server up --address ADDRESS`,
      };
    }
    return undefined;
  },
};
