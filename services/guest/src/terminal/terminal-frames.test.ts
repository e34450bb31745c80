import { expect, it } from 'vitest';
import { parseClientFrame, sideOf } from './terminal-frames.ts';

it('client frames: input and resize are parsed, unknown types are ignored, and text that is not JSON is detected', () => {
  expect(parseClientFrame('{"type":"input","data":"ls\\r"}')).toEqual({ type: 'input', data: 'ls\r' });
  expect(parseClientFrame('{"type":"resize","cols":100,"rows":"30"}')).toEqual({ type: 'resize', cols: 100, rows: 30 });
  for (const frame of ['{"type":"ping"}', '{"type":"input"}', '7', 'null', '[]']) {
    expect(parseClientFrame(frame)).toBe('unknown');
  }
  expect(parseClientFrame('{')).toBeUndefined();
});

it('a terminal side is between 1 and 1000, otherwise the default', () => {
  expect([
    sideOf('120', 80),
    sideOf(1e9, 80),
    sideOf('0', 80),
    sideOf('x', 80),
    sideOf(null, 80),
    sideOf(-1, 80),
  ]).toEqual([120, 1000, 80, 80, 80, 80]);
});
