import { defaultBrand } from '@berth/contract';
import { expect, test } from 'vitest';
import { desiredSandbox } from '../../test/desired-instance.ts';
import { sandboxContainer } from './sandbox-container.ts';

const settings = {
  guestFolder: '/opt/guest',
  brand: defaultBrand,
  control: { variablesOf: (instance: string) => ({ SANDBOX_CONTROL_KEY: 'key', SANDBOX_INSTANCE_ID: instance }) },
};

test('the guest is the first process of a sandbox, and the variables of its owner are not in its container', () => {
  const desired = desiredSandbox({ env: { SECRET: 'x', SERVICE_SANDBOX_USER: 'app', SANDBOX_CONTROL_KEY: 'mine' } });
  expect(sandboxContainer(desired, settings)).toEqual({
    entrypoint: ['/.berth/init', '--port', '8080'],
    mounts: { '/.berth': '/opt/guest' },
    maxProcesses: 2_048,
    env: {
      // Read by the guest only when it starts.
      SERVICE_SANDBOX_USER: 'app',
      SANDBOX_CONTROL_KEY: 'key',
      SANDBOX_INSTANCE_ID: desired.id,
      SANDBOX_PIDS_LIMIT: '2048',
      SANDBOX_BRAND: 'Service:service',
    },
  });
});
