import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Candidate, PlacementNeed } from './place.ts';
import { spreadTasks } from './spread-tasks.ts';
import { waitingMessage } from './waiting-message.ts';

const need: PlacementNeed = {
  regions: ['eu'],
  isolation: 'runc',
  mayFallBack: false,
  reservedMb: 512,
  holders: new Set(),
  avoidsPressure: true,
  task: { memoryShare: 0.8 },
};
const runner = (id: string, changes: Partial<Candidate> = {}): Candidate => ({
  id,
  status: 'up',
  region: 'eu',
  isolation: ['runc'],
  memoryMb: 8_192,
  reservedMb: 0,
  isPressed: false,
  maxTasks: 16,
  freeTasks: 16,
  ...changes,
});

const fleets: fc.Arbitrary<Candidate[]> = fc
  .array(
    fc.record({
      status: fc.constantFrom('up', 'up', 'lost'),
      memoryMb: fc.integer({ min: 1_000, max: 20_000 }),
      reservedMb: fc.integer({ min: 0, max: 10_000 }),
      isPressed: fc.boolean(),
      freeTasks: fc.integer({ min: 0, max: 20 }),
    }),
    { maxLength: 8 },
  )
  .map((fleet) => fleet.map((changes, index) => runner(String(index), changes)));

test('tasks never fill more than their share of a runner’s memory nor more than its free tasks, and none that fits is left', () => {
  fc.assert(
    fc.property(fleets, fc.integer({ min: 0, max: 200 }), (fleet, count) => {
      const placements = spreadTasks(fleet, need, count, Math.random);
      const roomOf = ({ id, status, memoryMb, reservedMb, isPressed, freeTasks = 0 }: Candidate): number => {
        const taken = placements.filter((placement) => placement.runner.id === id).length;
        const room =
          status !== 'up' || isPressed
            ? 0
            : Math.min(freeTasks, Math.max(0, Math.floor((Math.floor(memoryMb * 0.8) - reservedMb) / need.reservedMb)));
        expect(taken).toBeLessThanOrEqual(room);
        return room;
      };
      const room = fleet.reduce((sum, each) => sum + roomOf(each), 0);
      expect(placements).toHaveLength(Math.min(count, room));
    }),
  );
});

test('an agent may use the memory that tasks leave free', () => {
  const full = [runner('a', { reservedMb: 6_553 })];
  expect(spreadTasks(full, need, 1, Math.random)).toEqual([]);
  expect(spreadTasks(full, { ...need, task: undefined }, 1, Math.random)).toHaveLength(1);
});

test.each<[string, Partial<Candidate>]>([
  ['none in region eu runs tasks of jobs; the operator updates a runner, or sets its runner.maxTasks', { maxTasks: 0 }],
  ['each in region eu already runs as many tasks as its runner.maxTasks allows', {}],
  ['none in region eu has 512 MB free for tasks', { freeTasks: 1, reservedMb: 6_200 }],
])('a task that waits says why: %s', (reason, changes) => {
  const allowed = { regions: [{ name: 'eu', continent: 'eu', country: 'de' }], refusedBy: [] };
  const message = waitingMessage([runner('a', { freeTasks: 0, ...changes })], allowed, need);
  expect(message).toBe(`Waiting for a runner: ${reason}.`);
});
