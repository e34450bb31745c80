import { expect, test } from 'vitest';
import { parsePermissions } from './parse-permissions.ts';

test.each([
  ['0644', 0o644],
  ['755', 0o755],
  ['4755', 0o4755],
  ['0', 0],
  ['00000600', 0o600],
])('octal text %s is a mode', (text, mode) => expect(parsePermissions(text)).toBe(mode));

test.each(['', ' ', null, undefined])('absent permissions %j are no mode', (text) =>
  expect(parsePermissions(text)).toBeUndefined(),
);

test.each(['8', '0o644', 'rwxr-xr-x', '77777', '-1', '6.4'])('permissions %s are refused with 400', (text) =>
  expect(() => parsePermissions(text)).toThrow(expect.objectContaining({ status: 400 })),
);
