import { expect, test } from 'vitest';
import { arrived, isContinued, keptReleases, planUpgrade, planWayBack } from './plan-move.ts';

const running = { version: '0.1.0' };
const forward = { from: '0.1.0', to: '0.2.0', isBack: false };

test('an upgrade leads from the release that runs, and is continued after a kill on either side of the switch', () => {
  expect(planUpgrade(running, '0.2.0')).toEqual(forward);
  for (const version of ['0.1.0', '0.2.0']) {
    const killed = { version, move: forward };
    expect(planUpgrade(killed, '0.2.0')).toEqual(forward);
    expect(isContinued(killed, forward)).toBe(true);
  }
  expect(isContinued(running, forward)).toBe(false);
});

test('an upgrade to a third release after a kill still goes back to the release that worked', () => {
  expect(planUpgrade({ version: '0.2.0', move: forward }, '0.3.0')).toEqual({ ...forward, to: '0.3.0' });
});

test('after an upgrade the way back leads to the release before, and from there forward again', () => {
  const after = arrived({ version: '0.2.0', move: forward }, forward);
  expect(after).toEqual({ version: '0.2.0', previous: '0.1.0' });
  const back = planWayBack(after);
  expect(back).toEqual({ from: '0.2.0', to: '0.1.0', isBack: true });
  expect(arrived({ version: '0.1.0', previous: '0.1.0', move: back }, back)).toEqual({
    version: '0.1.0',
    previous: '0.2.0',
  });
});

test('the way back takes back an upgrade that was killed, and continues a way back that was killed', () => {
  expect(planWayBack({ version: '0.2.0', move: forward })).toMatchObject({ from: '0.1.0', to: '0.1.0' });
  const back = { from: '0.2.0', to: '0.1.0', isBack: true };
  for (const version of ['0.1.0', '0.2.0']) expect(planWayBack({ version, move: back })).toEqual(back);
});

test('the same release again changes neither the way back nor the releases that are kept', () => {
  const again = { from: '0.2.0', to: '0.2.0', isBack: false };
  const record = { version: '0.2.0', previous: '0.1.0' };
  expect(planUpgrade(record, '0.2.0')).toEqual(again);
  expect(arrived({ ...record, move: again }, again)).toEqual(record);
  expect(keptReleases(record)).toEqual(['0.2.0', '0.1.0']);
});

test('an older release and a way back without an upgrade are refused with the next step', () => {
  expect(() => planUpgrade({ version: '0.10.0' }, '0.9.9')).toThrow('0.9.9 is older than 0.10.0');
  expect(() => planWayBack(running)).toThrow('no release to go back to');
});
