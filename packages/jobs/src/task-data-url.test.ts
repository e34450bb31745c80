import { expect, test } from 'vitest';
import { taskDataUrl } from './task-data-url.ts';

test('the address of task arguments is below the gateway’s address, with or without a slash at its end', () => {
  for (const gatewayUrl of ['https://run.example.com', 'https://run.example.com/'])
    expect(taskDataUrl(gatewayUrl, 'abc_-9')).toBe('https://run.example.com/-/tasks/abc_-9');
  expect(taskDataUrl('http://100.96.0.1:8090', 'abc')).toBe('http://100.96.0.1:8090/-/tasks/abc');
});
