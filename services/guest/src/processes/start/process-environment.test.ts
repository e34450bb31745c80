import { expect, test } from 'vitest';
import { processEnvironment } from './process-environment.ts';

const processKey = '0123456789abcdef';

test("the request's variables override inherited ones, and the key of the process overrides both", () => {
  const environment = processEnvironment({
    inherited: { A: 'image', B: 'image', SANDBOX_CONTROL_KEY: 'key', SANDBOX_LOG_DIR: '/state', GONE: undefined },
    requested: { B: 'request', SANDBOX_PROCESS_KEY: 'forged' },
    key: processKey,
    workloadUser: undefined,
  });
  expect(environment).toEqual({ A: 'image', B: 'request', SANDBOX_PROCESS_KEY: processKey });
});

test('with a workload user, a request cannot choose HOME, USER or LOGNAME', () => {
  const environment = processEnvironment({
    inherited: { HOME: '/root', PATH: '/bin' },
    requested: { HOME: '/elsewhere', USER: 'root', LOGNAME: 'root' },
    key: processKey,
    workloadUser: { name: 'app', home: '/home/app' },
  });
  expect(environment).toMatchObject({ HOME: '/home/app', USER: 'app', LOGNAME: 'app', PATH: '/bin' });
});
