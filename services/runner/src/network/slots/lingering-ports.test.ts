import { expect, test } from 'vitest';
import { hasServerPort, lingersOnServerPort } from './lingering-ports.ts';

const head = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';
const line = (local: string) =>
  `   0: ${local} 0100007F:9C40 06 00000000:00000000 03:000017A0 00000000     0        0 0 3\n`;

test('a connection lingers on the port of a server when its own port is not one that clients get', () => {
  expect(hasServerPort(head)).toBe(false);
  expect(hasServerPort(head + line('0100007F:9C42'))).toBe(false);
  expect(hasServerPort(head + line('0100007F:9C42') + line('0100007F:1F90'))).toBe(true);
  expect(hasServerPort(head + line('0000000000000000FFFF00000100007F:1F90'))).toBe(true);
});

test('the connections of an ended process cannot be read', async () => {
  await expect(lingersOnServerPort(4_194_304)).rejects.toThrow(/ENOENT/);
});
