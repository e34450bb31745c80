import { randomBytes } from 'node:crypto';
import { withSandbox } from '../canary/try-sandbox.ts';
import type { Check } from './check.ts';

/** Addresses at which clouds tell a machine its secrets. */
const metadata = '169.254.169.254';
const connectSeconds = 3;

/** Prints the word, `reached` or `closed`. A shell without /dev/tcp cannot tell, and counts as closed. */
const connects = (address: string, port: number): string =>
  `(timeout ${connectSeconds} bash -c '</dev/tcp/${address}/${port}' 2>/dev/null && echo reached || echo closed)`;

/** Real packets: through the edge into a sandbox, and from there outwards. */
export const sandbox: Check = {
  name: 'sandbox',
  why: 'it is what the deployment is for; the other checks only look at its parts',
  when: 'running',
  needs: [
    'services',
    'images',
    'api',
    'orchestrator',
    'gateway-1',
    'gateway-2',
    'runner',
    'silent-runners',
    'reachable-runners',
    'certificates',
  ],
  async look(machine) {
    const word = randomBytes(8).toString('hex');
    const { address } = machine.choices;
    const command = `echo ${word}; ${connects(address, 443)}; ${connects(metadata, 80)}; ${connects('127.0.0.1', 8080)}`;
    const said = await withSandbox(machine, ({ run }) => run(command));
    const [echoed, gateway, cloud, itself] = said.trim().split('\n');
    if (echoed !== word)
      return {
        what: `A sandbox answers ${JSON.stringify(said)} instead of ${word}.`,
        fix: 'journalctl --unit berth-runner --lines 30',
      };
    // Without bash in the image nothing can be said of packets; its own API always listens.
    if (itself !== 'reached') return undefined;
    if (gateway !== 'reached')
      return {
        what: `A sandbox does not reach the edge at ${address}:443: a firewall of this machine drops its packets.`,
        fix: "systemctl restart berth-runner; journalctl --unit berth-runner --since '-1 min' | grep runner.firewall names the command",
      };
    if (cloud === 'reached')
      return {
        what: `A sandbox reaches ${metadata}, where clouds keep the secrets of a machine.`,
        fix: 'systemctl restart berth-runner',
      };
    return undefined;
  },
};
