import type { NetworkInterfaceInfo } from 'node:os';
import { expect, test } from 'vitest';
import { chooseAddress, defaultInterface } from './primary-address.ts';

const at = (address: string, internal = false): NetworkInterfaceInfo[] => [
  { address, internal, family: 'IPv4', netmask: '255.255.255.0', mac: '00:00:00:00:00:00', cidr: `${address}/24` },
];

test('the interface with the default route wins over the others', () => {
  const routes = 'Iface\tDestination\tGateway\neth0\t0000FEA9\t00000000\neth1\t00000000\t0100A8C0\n';
  expect(defaultInterface(routes)).toBe('eth1');
  expect(chooseAddress({ eth0: at('10.0.0.5'), eth1: at('192.0.2.7') }, 'eth1')).toBe('192.0.2.7');
});

test('a machine without a default route has the address of its first network, and never that of a bridge of containers', () => {
  const interfaces = { lo: at('127.0.0.1', true), docker0: at('172.17.0.1'), host0: at('10.9.0.2') };
  expect(defaultInterface('Iface\tDestination\n')).toBeUndefined();
  expect(chooseAddress(interfaces, undefined)).toBe('10.9.0.2');
  expect(chooseAddress({ lo: at('127.0.0.1', true), docker0: at('172.17.0.1') }, undefined)).toBeUndefined();
});
