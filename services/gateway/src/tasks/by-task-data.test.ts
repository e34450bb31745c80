import { expect, test } from 'vitest';
import { ownHosts } from '../routing/own-hosts.ts';
import { taskDataTokenIn } from './by-task-data.ts';

const isOwnHost = ownHosts({ hosts: undefined, workloadDomain: 'example.org', listensOn: '192.0.2.1' });
const tokenIn = (url: string, ...rawHeaders: string[]) => taskDataTokenIn({ url, rawHeaders }, { isOwnHost });

test('on the gateway’s own hosts the token is the rest of the path, without the query', () => {
  for (const host of ['run.example.org', 'example.org:443', 'RUN.example.org.', 'localhost:8090', '192.0.2.1'])
    expect(tokenIn('/-/tasks/abc_-1', 'Host', host)).toBe('abc_-1');
  expect(tokenIn('/-/tasks/abc?x=/y', 'Host', 'run.example.org')).toBe('abc');
  expect(tokenIn('/-/tasks/', 'Host', 'run.example.org')).toBe('');
});

test('on any other host, without a host and with two hosts the path is not the gateway’s', () => {
  for (const host of ['agt-a-main.local.example.org', 'shop.example.com', 'run.example.org.example.com', 'a b'])
    expect(tokenIn('/-/tasks/abc', 'Host', host)).toBeUndefined();
  expect(tokenIn('/-/tasks/abc')).toBeUndefined();
  expect(tokenIn('/-/tasks/abc', 'Host', 'run.example.org', 'Host', 'run.example.org')).toBeUndefined();
});

test('only this path is for task arguments', () => {
  for (const url of [
    '/-/tasks',
    '/-/agents/a',
    '/-/TASKS/abc',
    '/main/agents/a/-/tasks/abc',
    '//-/tasks/abc',
    '/%2D/tasks/a',
  ])
    expect(tokenIn(url, 'Host', 'run.example.org')).toBeUndefined();
});
