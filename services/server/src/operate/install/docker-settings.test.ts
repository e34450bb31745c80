import { expect, test } from 'vitest';
import { addDockerKeys, difference, removeDockerKeys } from './docker-settings.ts';

const path = '/etc/docker/daemon.json';
const runsc = '/opt/berth/current/bin/runsc';
const add = (text: string | undefined) => addDockerKeys(text, path, runsc);

test('only two keys are added, and everything else of the file stays', () => {
  const own = { 'log-driver': 'local', runtimes: { kata: { path: '/usr/bin/kata' } } };
  const { text, added } = add(JSON.stringify(own));
  expect(added).toEqual(['live-restore', 'runtimes.runsc']);
  const { 'live-restore': live, runtimes, ...others } = JSON.parse(text);
  expect(live).toBe(true);
  expect(runtimes).toMatchObject({ ...own.runtimes, runsc: { path: runsc } });
  expect(others).toEqual({ 'log-driver': 'local' });
});

test('a runtime and a setting of the operator are not replaced', () => {
  const own = JSON.stringify({ 'live-restore': false, runtimes: { runsc: { path: '/usr/local/bin/runsc' } } });
  expect(add(own)).toEqual({ text: own, added: [] });
});

test('a second run adds nothing', () => {
  expect(add(add(undefined).text).added).toEqual([]);
});

test.each([
  ['no file', undefined, undefined],
  ['an empty object', '{}', '{}'],
  ['settings', '{"log-driver": "local"}', '{"log-driver": "local"}'],
  ['one of the keys', '{"live-restore": true}', '{"live-restore": true}'],
  ['another runtime', '{"runtimes": {"kata": {"path": "/k"}}}', '{"runtimes": {"kata": {"path": "/k"}}}'],
])('uninstall leaves %s as it was', (_, before, after) => {
  const { text, added } = add(before);
  const left = removeDockerKeys(text, path, { madeFile: before === undefined, added });
  expect(left === undefined ? undefined : JSON.parse(left)).toEqual(
    after === undefined ? undefined : JSON.parse(after),
  );
});

test('a key that the operator has added meanwhile stays', () => {
  const { text, added } = add(undefined);
  const later = JSON.stringify({ ...JSON.parse(text), debug: true });
  expect(JSON.parse(removeDockerKeys(later, path, { madeFile: true, added }) ?? '')).toEqual({ debug: true });
});

test('a file that is not JSON is refused and named', () => {
  expect(() => add('{"live-restore": true,}')).toThrow(path);
});

test('the difference shows added and removed lines', () => {
  expect(difference('{\n}\n', '{\n  "a": 1\n}\n')).toEqual(['+   "a": 1']);
});
