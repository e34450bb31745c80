import fc from 'fast-check';
import { expect, test } from 'vitest';
import { taskVolumes, volumesFault } from './task-volumes.ts';

const volume = (mountPath: string, sizeMb = 16, name = mountPath) => ({ name, mountPath, sizeMb });
const faultOf = (...volumes: ReturnType<typeof volume>[]) => volumesFault({ volumes }, 128);

test('volumes may take all memory of their task, and not 1 MB more', () => {
  expect(faultOf(volume('/a', 100), volume('/b', 28))).toBeUndefined();
  expect(faultOf(volume('/a', 100), volume('/b', 29))).toMatch(/129 MB together, but a task has 128 MB/);
});

test('a volume without a size is refused, because the kernel would not limit it', () => {
  expect(faultOf(volume('/a'), volume('/b', 0))).toMatch(/^spec\.volumes\[1\]\.sizeMb is less than 1/);
});

test.each(['/', '//', '/proc', '/proc/self', '//sys/', '/dev/shm', '/etc', '/etc/hosts', '/usr', '/usr/bin/', '/lib'])(
  'a volume at %s is refused',
  (path) => {
    expect(faultOf(volume(path))).toMatch(/^spec\.volumes\[0\]\.mountPath is .*\. Name /);
  },
);

test.each(['/a/../proc', '/./proc', '/..', 'proc'])('the indirect path %s is refused', (path) => {
  expect(faultOf(volume(path))).toMatch(/Name an absolute path/);
});

test.each(['/scratch', '/tmp', '/process', '/devices', '/usr/local/cache', '/home/me/.cache'])(
  'a volume at %s is allowed',
  (path) => {
    expect(faultOf(volume(path))).toBeUndefined();
  },
);

test.each([
  ['/a', '/a'],
  ['/a', '//a/'],
  ['/a', '/a/b'],
  ['/a/b', '/a'],
])('volumes at %s and %s are refused', (first, second) => {
  expect(faultOf(volume(first, 1, 'first'), volume(second, 1, 'second'))).toMatch(
    /^spec\.volumes\[1\]\.mountPath is .* the volume first is at /,
  );
});

test('volumes beside each other are allowed, also where one path begins with the other', () => {
  expect(faultOf(volume('/a'), volume('/ab'), volume('/b/a'))).toBeUndefined();
});

test('two volumes of one name are refused', () => {
  expect(faultOf(volume('/a', 1, 'same'), volume('/b', 1, 'same'))).toMatch(/^spec\.volumes\[1\]\.name is same/);
});

test('however a path is written, an allowed volume is never at or below a folder of the kernel, and never above another', () => {
  const name = fc.constantFrom('proc', 'sys', 'dev', 'a', 'b', '..', '.', '');
  const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => `/${names.join('/')}`);
  fc.assert(
    fc.property(path, path, (first, second) => {
      const volumes = [volume(first, 1, 'first'), volume(second, 1, 'second')];
      if (volumesFault({ volumes }, 128) !== undefined) return;
      const real = taskVolumes({ volumes }).map(({ mountPath }) => new URL(mountPath, 'file:///').pathname);
      expect(real).toEqual(taskVolumes({ volumes }).map(({ mountPath }) => mountPath));
      for (const each of real) expect(each).not.toMatch(/^\/($|(proc|sys|dev)(\/|$))/);
      expect(real[0]?.startsWith(`${real[1]}/`) || real[1]?.startsWith(`${real[0]}/`)).toBe(false);
    }),
  );
});
