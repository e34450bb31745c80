import fc from 'fast-check';
import { expect, test } from 'vitest';
import { WorkspaceNumbers } from './workspace-numbers.ts';

const address = fc.integer({ min: 1, max: 6 }).map((last) => `100.96.0.${last}`);
const step = fc.record({ address, workspace: fc.option(fc.constantFrom('a', 'b', 'c')) });

test('two addresses have the same number exactly when they are in the same workspace', () => {
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const numbers = new WorkspaceNumbers();
      const model = new Map<string, string>();
      for (const { address, workspace } of steps) {
        if (workspace === null) {
          numbers.remove(address);
          model.delete(address);
        } else {
          numbers.add(address, workspace);
          model.set(address, workspace);
        }
      }
      expect([...numbers.members.keys()].sort()).toEqual([...model.keys()].sort());
      for (const [one, number] of numbers.members) {
        expect(number).toBeGreaterThan(0);
        for (const [other, otherNumber] of numbers.members) {
          expect(number === otherNumber).toBe(model.get(one) === model.get(other));
        }
      }
    }),
  );
});
