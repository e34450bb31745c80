import { expect, test } from 'vitest';
import { callSettings } from './call-settings.ts';

const secret = { $sealed: 'sealed' };
const spec = {
  triggers: [
    { id: 'sync', type: 'http', configuration: { retry: 9 } },
    { id: 'off', type: 'http-async', enabled: false, configuration: { retry: 8 } },
    { id: 'hook', type: 'http-async', configuration: { path: 'hook', retry: 2, timeout: 60 } },
    {
      ...{ id: 'own', type: 'http-async' },
      configuration: { retry: 1, callbackUrl: 'https://a.example', callbackSecret: secret },
    },
  ],
};

test('a call has the settings of the trigger that was called', () => {
  expect(callSettings(spec, 'hook')).toEqual({
    triggerId: 'hook',
    maxRuns: 3,
    timeoutSeconds: 60,
    callback: undefined,
  });
});

test('a call of the agent’s own address has those of the first enabled http-async trigger without a path', () => {
  const callback = { url: 'https://a.example', secret };
  expect(callSettings(spec, undefined)).toEqual({ triggerId: 'own', maxRuns: 2, timeoutSeconds: 900, callback });
});

test('without such a trigger a call runs once for up to 15 minutes, and nobody is told', () => {
  const settings = { triggerId: undefined, maxRuns: 1, timeoutSeconds: 900, callback: undefined };
  expect([{}, { triggers: [] }].map((each) => callSettings(each, undefined))).toEqual([settings, settings]);
});
