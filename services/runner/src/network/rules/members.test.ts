import fc from 'fast-check';
import { expect, test } from 'vitest';
import { desiredInstance, desiredSandbox } from '../../../test/desired-instance.ts';
import { Members } from './members.ts';
import { membershipOf } from './membership.ts';

const address = fc.integer({ min: 1, max: 6 }).map((last) => `100.96.0.${last}`);
const place = fc.record({
  workspaceId: fc.constantFrom('a', 'b', 'c'),
  name: fc.option(fc.constantFrom('blue', 'green')),
});
const step = fc.record({ address, place: fc.option(place) });

test('two addresses have the same number exactly when they are in the same VPC of the same workspace', () => {
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const members = new Members();
      const model = new Map<string, string | undefined>();
      for (const { address, place } of steps) {
        if (place === null) {
          members.remove(address);
          model.delete(address);
        } else {
          const { workspaceId, name } = place;
          members.add(address, { workspaceId, vpc: name === null ? undefined : { name, ports: [] } });
          model.set(address, name === null ? undefined : `${workspaceId} ${name}`);
        }
      }
      const { elements } = members;
      const admitted = elements.filter(({ set }) => set === 'admitted').map(({ key }) => key);
      expect(admitted.sort()).toEqual([...model.keys()].sort());
      const numbers = new Map(elements.filter(({ set }) => set === 'vpc_of').map(({ key, value }) => [key, value]));
      expect([...numbers.keys()].sort()).toEqual([...model].flatMap(([key, vpc]) => (vpc ? [key] : [])).sort());
      for (const [one, number] of numbers) {
        expect(number).toBeGreaterThan(0);
        for (const [other, otherNumber] of numbers)
          expect(number === otherNumber).toBe(model.get(one) === model.get(other));
      }
    }),
  );
});

test('the port of a sandbox’s guest is open to no peer, also when it is declared', () => {
  const ports = [3000, 8080].map((port) => ({ protocol: 'tcp' as const, port }));
  const sandbox = desiredSandbox({ port: 8080, vpc: { name: 'blue', ports } });
  expect(membershipOf(sandbox)?.vpc?.ports).toEqual([{ protocol: 'tcp', port: 3000 }]);
});

test('an instance that names no VPC has no peers', () => {
  const { workspaceId = '', ...warm } = desiredInstance();
  expect(membershipOf({ ...warm, workspaceId })).toEqual({ workspaceId });
  expect(membershipOf(warm)).toBeUndefined();
});
