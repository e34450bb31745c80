import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Candidate, type PlacementNeed, place } from './place.ts';

const candidates: fc.Arbitrary<Candidate[]> = fc.uniqueArray(
  fc.record({
    id: fc.integer({ min: 0, max: 50 }).map(String),
    status: fc.constantFrom('up', 'up', 'up', 'lost'),
    region: fc.constantFrom('eu', 'us'),
    isolation: fc.constantFrom(['runc'], ['gvisor'], ['runc', 'gvisor']),
    memoryMb: fc.integer({ min: 1_000, max: 8_000 }),
    reservedMb: fc.integer({ min: 0, max: 8_000 }),
    isPressed: fc.boolean(),
  }),
  { selector: ({ id }) => id, maxLength: 12 },
);
const needs: fc.Arbitrary<PlacementNeed> = fc.record({
  regions: fc.subarray(['eu', 'us', 'asia']),
  isolation: fc.constantFrom('runc', 'gvisor'),
  mayFallBack: fc.boolean(),
  reservedMb: fc.integer({ min: 128, max: 4_000 }),
  holders: fc.array(fc.integer({ min: 0, max: 50 }).map(String)).map((ids) => new Set(ids)),
  avoidsPressure: fc.boolean(),
});
const random = fc
  .infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true }))
  .map((stream) => () => stream.next().value);

test('the chosen runner is allowed, isolates as needed, has room, and is neither pressed nor a holder where another one is', () => {
  fc.assert(
    fc.property(candidates, needs, random, (runners, need, random) => {
      const placement = place(runners, need, random);
      const allowed = runners.filter(({ region, status }) => status === 'up' && need.regions.includes(region));
      const registered = runners.filter(({ region }) => need.regions.includes(region));
      const isThere = registered.some((runner) => runner.isolation.includes(need.isolation));
      const isolation = isThere || !need.mayFallBack ? need.isolation : 'runc';
      const fitting = allowed.filter(
        (runner) => runner.isolation.includes(isolation) && runner.reservedMb + need.reservedMb <= runner.memoryMb,
      );
      const calm = fitting.filter(({ isPressed }) => !isPressed);
      const usable = calm.length > 0 || need.avoidsPressure ? calm : fitting;
      const fresh = usable.filter(({ id }) => !need.holders.has(id));
      expect(placement === undefined).toBe(usable.length === 0);
      if (placement === undefined) return;
      expect(placement.isolation).toBe(isolation);
      expect(fresh.length > 0 ? fresh : usable).toContain(placement.runner);
    }),
  );
});

const runner = (id: string, changes: Partial<Candidate> = {}): Candidate => ({
  id,
  status: 'up',
  region: 'eu',
  isolation: ['runc'],
  memoryMb: 4_096,
  reservedMb: 0,
  isPressed: false,
  ...changes,
});
const need: PlacementNeed = {
  regions: ['eu'],
  isolation: 'gvisor',
  mayFallBack: true,
  reservedMb: 1_024,
  holders: new Set(),
};

test('the least loaded of up to three runners is chosen', () => {
  const runners = [
    runner('a', { reservedMb: 3_000 }),
    runner('b', { reservedMb: 100 }),
    runner('c', { reservedMb: 2_000 }),
  ];
  expect(place(runners, need, Math.random)?.runner.id).toBe('b');
});

test('a full runner with gVisor is waited for; runners without gVisor are not used instead', () => {
  const full = runner('gvisor', { isolation: ['runc', 'gvisor'], reservedMb: 4_096 });
  expect(place([runner('a')], need, Math.random)).toMatchObject({ isolation: 'runc', runner: { id: 'a' } });
  expect(place([runner('a'), full], need, Math.random)).toBeUndefined();
  expect(place([runner('a'), full], { ...need, isolation: 'runc' }, Math.random)?.runner.id).toBe('a');
});

test('an instance that needs gVisor is never placed on runc, neither where no runner has gVisor nor while those that have it are away', () => {
  const strict = { ...need, mayFallBack: false };
  const away = runner('gvisor', { isolation: ['runc', 'gvisor'], status: 'lost' });
  expect(place([runner('a')], strict, Math.random)).toBeUndefined();
  expect(place([runner('a'), away], strict, Math.random)).toBeUndefined();
  expect(place([runner('a'), away], need, Math.random)).toBeUndefined();
  expect(place([runner('a'), { ...away, status: 'up' }], need, Math.random)?.runner.id).toBe('gvisor');
});

test('a pressed runner is used only when no other has room, and never by an instance that avoids pressure', () => {
  const pressed = runner('pressed', { isPressed: true });
  const calm = runner('calm', { reservedMb: 3_000 });
  expect(place([pressed, calm], need, Math.random)?.runner.id).toBe('calm');
  expect(place([pressed], need, Math.random)?.runner.id).toBe('pressed');
  expect(place([pressed], { ...need, avoidsPressure: true }, Math.random)).toBeUndefined();
});

test('a pressed runner with gVisor does not make an instance fall back to runc', () => {
  const pressed = runner('gvisor', { isolation: ['runc', 'gvisor'], isPressed: true });
  expect(place([runner('a'), pressed], { ...need, avoidsPressure: true }, Math.random)).toBeUndefined();
  expect(place([runner('a'), pressed], need, Math.random)).toMatchObject({ isolation: 'gvisor' });
});

test('many placements spread over equal runners', () => {
  let runners = Array.from({ length: 10 }, (_, index) => runner(String(index), { memoryMb: 100_000 }));
  for (let placed = 0; placed < 500; placed += 1) {
    const chosen = place(runners, need, Math.random)?.runner.id;
    runners = runners.map((each) => (each.id === chosen ? { ...each, reservedMb: each.reservedMb + 1_024 } : each));
  }
  for (const { reservedMb } of runners) expect(Math.abs(reservedMb / 1_024 - 50)).toBeLessThan(10);
});
