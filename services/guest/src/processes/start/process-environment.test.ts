import { expect, test } from 'vitest';
import { processEnvironment } from './process-environment.ts';

const processKey = '0123456789abcdef';

test('the request wins over what is inherited, and the mark of the process over both', () => {
  const environment = processEnvironment({
    inherited: { A: 'image', B: 'image', SANDBOX_CONTROL_KEY: 'key', SANDBOX_LOG_DIR: '/state', GONE: undefined },
    requested: { B: 'request', SANDBOX_PROCESS_KEY: 'forged' },
    key: processKey,
    workloadUser: undefined,
  });
  expect(environment).toEqual({ A: 'image', B: 'request', SANDBOX_PROCESS_KEY: processKey });
});

test('with a workload user, who the process is cannot be chosen', () => {
  const environment = processEnvironment({
    inherited: { HOME: '/root', PATH: '/bin' },
    requested: { HOME: '/elsewhere', USER: 'root', LOGNAME: 'root' },
    key: processKey,
    workloadUser: { name: 'app', home: '/home/app' },
  });
  expect(environment).toMatchObject({ HOME: '/home/app', USER: 'app', LOGNAME: 'app', PATH: '/bin' });
});
