import { expect, test } from 'vitest';
import { meteringAfter } from './metering-after.ts';
import { newSleepState, nextState, type SleepEvent, type SleepState } from './sleep-state.ts';

/** What each event does to the metering of a sandbox, as the controller applies it. */
function follow(events: readonly (SleepEvent | 'freeze begins')[], first: Partial<SleepState> = { frozen: 'no' }) {
  let state = { ...newSleepState(0, 0), ...first };
  let isFreezing = false;
  return events.map((event) => {
    isFreezing = event === 'freeze begins' || (isFreezing && !['frozen', 'failed'].includes(event.is));
    if (event !== 'freeze begins') state = nextState(state, event, 0);
    return meteringAfter(event === 'freeze begins' ? 'sleep asked' : event.is, state.frozen, isFreezing);
  });
}

test('a sandbox is metered from the end of a thaw until it sleeps', () => {
  const lease = { is: 'leases', count: 1 } as const;
  expect(follow([{ is: 'managed' }, lease, { is: 'frozen' }, { is: 'thawed' }, lease])).toEqual([
    'continue',
    'continue',
    'end',
    'begin',
    'continue',
  ]);
});

test('nothing changes while a freeze is in progress, also when a caller arrives', () => {
  expect(follow(['freeze begins', { is: 'openers', count: 1 }, { is: 'frozen' }])).toEqual(['keep', 'keep', 'end']);
});

test('after a failed freeze the metering goes on only once the sandbox was found awake', () => {
  const failed = { is: 'failed', pauseMs: 1 } as const;
  expect(follow(['freeze begins', failed, { is: 'found', isFrozen: false }])).toEqual(['keep', 'keep', 'continue']);
  expect(follow(['freeze begins', failed, { is: 'found', isFrozen: true }])).toEqual(['keep', 'keep', 'end']);
  expect(follow(['freeze begins', failed, { is: 'thawed' }])).toEqual(['keep', 'keep', 'begin']);
});

test('a sandbox of an earlier process of the runner that was found asleep is not metered until it is thawed', () => {
  const found = [{ is: 'managed' }, { is: 'found', isFrozen: true }, { is: 'thawed' }] as const;
  expect(follow(found, {})).toEqual(['keep', 'end', 'begin']);
});
