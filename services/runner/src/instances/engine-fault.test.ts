import { expect, test } from 'vitest';
import { engineFaultOf, engineMessageOf } from './engine-fault.ts';

const engineError = (statusCode: number, message: string) => Object.assign(new Error(message), { statusCode });

test.each([
  [400, 'OCI runtime create failed: exec: "nothing": executable file not found in $PATH: unknown', 'instance'],
  [500, 'OCI runtime start failed: starting container: exec: "/app": permission denied', 'instance'],
  [400, 'No command specified', 'instance'],
  [500, 'unable to find user app: no matching entries in passwd file', 'instance'],
  [500, 'OCI runtime create failed: waiting for init preliminary setup: EOF', 'runtime'],
  [500, 'OCI runtime create failed: fork/exec: cannot allocate memory', 'engine'],
  [404, 'No such image: a:latest', 'engine'],
  [409, 'Conflict. The container name "/berth-a" is already in use', 'engine'],
  [409, 'cannot join network of a non running container', 'engine'],
  [500, 'layer does not exist', 'engine'],
])('%i %s is the fault of the %s… one', (status, words, fault) => {
  expect(engineFaultOf(engineError(status, words))).toBe(fault);
});

test('an unreachable engine is a fault of the engine', () => {
  expect(engineFaultOf(Object.assign(new Error('connect ENOENT'), { code: 'ENOENT' }))).toBe('engine');
});

test('the engine\u2019s message comes without the prefix of its client', () => {
  expect(engineMessageOf(new Error('(HTTP code 400) unexpected - no command specified '))).toBe('no command specified');
});
