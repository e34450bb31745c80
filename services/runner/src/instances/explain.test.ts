import { expect, test } from 'vitest';
import { desiredInstance, desiredTask } from '../../test/desired-instance.ts';
import { crashLoop, outOfMemory, portClosed, pulling, taskExited, timedOut } from './explain.ts';
import { parseListening } from './listening-ports.ts';

const desired = desiredInstance({ memoryMb: 256 });
const port = 8080;
const head = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';
const row = (address: string, state = '0A') =>
  `   0: ${address} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000     0        0 1 1 0\n`;

test('the message about a closed port names the open ports', () => {
  const table = head + row('00000000:0BB8') + row('0B00007F:A9C5') + row('00000000:1F90', '06');
  expect(portClosed(port, parseListening(table)).message).toBe(
    'Nothing listens on port 8080; it listens on 3000. Listen on $HOST:$PORT.',
  );
});

test('the message names a port that listens on loopback only', () => {
  for (const address of ['0100007F:1F90', '00000000000000000000000001000000:1F90']) {
    expect(portClosed(port, parseListening(head + row(address))).message).toMatch(/loopback/);
  }
});

test('the message has advice even without any open port', () => {
  expect(portClosed(port, parseListening(head)).message).toBe('Nothing listens on port 8080. Listen on $HOST:$PORT.');
});

test('a message contains only the end of the output', () => {
  const { message } = crashLoop(3, { exitCode: 1, output: `${'x'.repeat(5_000)}the reason` });
  expect(message.length).toBeLessThan(600);
  expect(message).toMatch(/^It ended 3 times in a row, last with exit code 1\. Its last output:\n/);
  expect(message).toMatch(/the reason$/);
});

test('messages give pull progress and memory in megabytes', () => {
  expect(pulling('a/b:1', { done: 12_000_000, total: 80_000_000 })).toBe('Pulling a/b:1: 12 of 80 MB.');
  expect(outOfMemory(desired).message).toBe('Out of memory: it needs more than its 256 MB. Raise spec.runtime.memory.');
});

test('the message about a failed task has its exit code and its last output; a task that succeeded has none', () => {
  expect(taskExited({ exitCode: 0, output: 'done' })).toBeUndefined();
  expect(taskExited({ exitCode: 3, output: 'no input\n' })).toBe(
    'It ended with exit code 3. Its last output:\nno input',
  );
  expect(taskExited({ exitCode: 1, output: '' })).toMatch(/^It ended with exit code 1\. It wrote nothing/);
});

test('the message about a timeout names the limit and the setting', () => {
  expect(timedOut(desiredTask({ timeoutSeconds: 90 }))).toBe(
    'It ran for more than its 90 seconds and was ended. Raise spec.runtime.timeout, or give each task less to do.',
  );
});
