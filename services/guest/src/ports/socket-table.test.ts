import { expect, test } from 'vitest';
import { addressText, isLoopback, wordsOf } from './socket-address.ts';
import { socketRows } from './socket-table.ts';

const rest = '00000000:00000000 00:00000000 00000000     0        0 4711 1 0000000000000000 100 0 0 10 0';

test.each([
  ['0100007F', '127.0.0.1', true],
  ['0200007F', '127.0.0.2', true],
  ['00000000', '0.0.0.0', false],
  ['0501A8C0', '192.168.1.5', false],
  ['00000000000000000000000000000000', '::', false],
  ['00000000000000000000000001000000', '::1', true],
  ['0000000000000000FFFF00000100007F', '::ffff:127.0.0.1', true],
  ['0000000000000000FFFF00000501A8C0', '::ffff:192.168.1.5', false],
  ['0000000000000000FFFF000000000000', '::ffff:0.0.0.0', false],
  ['B80D0120000000000000000001000000', '2001:db8::1', false],
  ['000080FE00000000FF005450B6AD12FE', 'fe80::5054:ff:fe12:adb6', false],
])('R-18 %s is %s, loopback: %s', (hex, text, loopback) => {
  expect(addressText(wordsOf(hex))).toBe(text);
  expect(isLoopback(wordsOf(hex))).toBe(loopback);
});

test('R-18 only a TCP listener and an unconnected UDP socket serve a port', () => {
  const line = (state: string, remote = '00000000:0000') => `   0: 00000000:1F90 ${remote} ${state} ${rest}\n`;
  expect(socketRows('tcp', line('0A'))[0]).toMatchObject({ serves: true, localPort: 8080, state: 'LISTEN' });
  expect(socketRows('tcp', line('01', '0501A8C0:0050'))[0]).toMatchObject({ serves: false, state: 'ESTABLISHED' });
  expect(socketRows('udp', line('07'))[0]).toMatchObject({ serves: true, state: 'NONE', inode: '4711' });
  expect(socketRows('udp', line('01', '0501A8C0:0050'))[0]).toMatchObject({ serves: false, remotePort: 80 });
});

test('the header of a table, empty lines and sockets without a port are skipped', () => {
  const head = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';
  expect(socketRows('tcp', `${head}\n   1: 00000000:0000 00000000:0000 07 ${rest}\n`)).toEqual([]);
});
