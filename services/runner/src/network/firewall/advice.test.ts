import { expect, test } from 'vitest';
import { repair } from './advice.ts';

const gateway = { way: 'gateway', address: '10.0.0.1', port: 8080 } as const;

test.each([
  ['ufw', { way: 'outside' }, 'ufw route allow in on berth0'],
  ['ufw', gateway, 'ufw allow in on berth0 to 10.0.0.1 port 8080 proto tcp'],
  [
    'docker',
    { way: 'outside' },
    'iptables -I DOCKER-USER -i berth0 -j ACCEPT && iptables -I DOCKER-USER -o berth0 -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT',
  ],
  ['docker', gateway, 'iptables -I INPUT -i berth0 -d 10.0.0.1 -p tcp --dport 8080 -j ACCEPT'],
  [
    'iptables',
    { way: 'outside' },
    'iptables -I FORWARD -i berth0 -j ACCEPT && iptables -I FORWARD -o berth0 -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT',
  ],
  [
    'firewalld',
    { way: 'outside' },
    'firewall-cmd --permanent --zone=trusted --add-interface=berth0 && firewall-cmd --reload',
  ],
] as const)('behind %s the command for %o is %s', (firewall, blocked, command) => {
  expect(repair(firewall, 'berth0', blocked)).toBe(command);
});
