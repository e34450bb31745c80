import { expect, test } from 'vitest';
import { PeakWindow, windowParts } from './peak-window.ts';

test('the peak counts for a whole window, then the requests still under way count', () => {
  const window = new PeakWindow();
  for (let n = 0; n < 5; n += 1) window.enter();
  for (let n = 0; n < 4; n += 1) window.leave();
  for (let part = 1; part < windowParts; part += 1) {
    window.turn();
    expect(window.peak).toBe(5);
  }
  window.turn();
  expect(window.peak).toBe(1);
  window.leave();
  for (let part = 0; part < windowParts; part += 1) window.turn();
  expect(window.peak).toBe(0);
});
