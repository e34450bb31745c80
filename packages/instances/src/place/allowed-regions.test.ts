import { expect, test } from 'vitest';
import { allowedRegions, type PlacementPolicy } from './allowed-regions.ts';
import { waitingMessage } from './waiting-message.ts';

const regions = [
  { name: 'eu-1', continent: 'eu', country: 'de' },
  { name: 'eu-2', continent: 'eu', country: 'fr' },
  { name: 'us-1', continent: 'na', country: 'us' },
];
const policy = (name: string, changes: Partial<PlacementPolicy>): PlacementPolicy => ({
  name,
  locations: [],
  flavors: [],
  ...changes,
});
const location = (name: string, type: string, place: string) =>
  policy(name, { type: 'location', locations: [{ type, name: place }] });
const flavor = (name: string, type: string, word: string) =>
  policy(name, { type: 'flavor', flavors: [{ type, name: word }] });
const left = (region: string | undefined, ...policies: PlacementPolicy[]) =>
  allowedRegions(regions, region, policies).regions.map(({ name }) => name);

test.each([
  ['without a policy every region is left', undefined, [], ['eu-1', 'eu-2', 'us-1']],
  ['the named region is the only one', 'eu-2', [], ['eu-2']],
  ['a continent', undefined, [location('a', 'continent', 'EU')], ['eu-1', 'eu-2']],
  ['a country', undefined, [location('a', 'country', 'us')], ['us-1']],
  ['a region by its name', undefined, [location('a', 'location', 'eu-2')], ['eu-2']],
  [
    'one type adds up',
    undefined,
    [location('a', 'country', 'us'), location('b', 'location', 'eu-2')],
    ['eu-2', 'us-1'],
  ],
  ['the named region has to be allowed', 'us-1', [location('a', 'continent', 'eu')], []],
  ['another type has to agree', undefined, [location('a', 'country', 'us'), flavor('b', 'gpu', 't4')], []],
  [
    'the flavor of every machine',
    undefined,
    [flavor('a', 'gpu', 't4'), flavor('b', 'cpu', 'x86')],
    ['eu-1', 'eu-2', 'us-1'],
  ],
  [
    'a policy that lists nothing says nothing',
    undefined,
    [policy('a', { type: 'location' })],
    ['eu-1', 'eu-2', 'us-1'],
  ],
  ['limits on tokens are not about places', undefined, [policy('a', { type: 'maxToken' })], ['eu-1', 'eu-2', 'us-1']],
])('%s', (_, region, policies, expected) => {
  expect(left(region, ...policies)).toEqual(expected);
});

test('the waiting message names the reason', () => {
  const runner = {
    id: 'a',
    status: 'up',
    region: 'eu-1',
    isolation: ['runc'],
    memoryMb: 1_024,
    reservedMb: 0,
    isPressed: false,
  };
  const message = (runners: (typeof runner)[], region: string | undefined, ...policies: PlacementPolicy[]) =>
    waitingMessage(runners, allowedRegions(regions, region, policies), {
      isolation: 'runc',
      mayFallBack: false,
      reservedMb: 2_048,
    });
  expect(message([], 'eu-1')).toBe('Waiting for a runner: no runner is registered.');
  expect(message([runner], 'eu-1')).toBe('Waiting for a runner: none in region eu-1 has 2048 MB free.');
  expect(message([runner], undefined)).toBe('Waiting for a runner: none in regions eu-1, eu-2, us-1 has 2048 MB free.');
  expect(message([runner], 'us-1')).toBe('Waiting for a runner: none in region us-1 is connected.');
  expect(message([{ ...runner, status: 'lost' }], 'eu-1')).toBe(
    'Waiting for a runner: none in region eu-1 is connected.',
  );
  const pressed = { ...runner, memoryMb: 4_096, isPressed: true };
  const alone = 'the only one in region eu-1 that has 2048 MB free is short of memory or disk';
  expect(message([runner, pressed], 'eu-1')).toBe(`Waiting for a runner: ${alone}.`);
  expect(message([pressed, pressed], 'eu-1')).toContain('each in region eu-1 that has 2048 MB free is short');
  expect(message([{ ...runner, isolation: ['gvisor'] }], 'eu-1')).toContain('which generation mk2 asks for');
  expect(message([runner], 'us-1', location('home', 'continent', 'eu'))).toBe(
    'Waiting for a runner: policy home leaves no region.',
  );
});
