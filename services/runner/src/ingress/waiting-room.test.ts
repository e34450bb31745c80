import { Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { WaitingRoom } from './waiting-room.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a new connection waits at most five seconds, and one that has left the waiting room is not closed', () => {
  const room = new WaitingRoom();
  const [silent, known] = [new Socket(), new Socket()];
  for (const socket of [silent, known]) room.enter(socket);
  room.leave(known);
  vi.advanceTimersByTime(4_999);
  expect(silent.destroyed).toBe(false);
  vi.advanceTimersByTime(1);
  expect([silent.destroyed, known.destroyed]).toEqual([true, false]);
});

test('the waiting room is full with 1 024 connections, and has room again once one has closed', () => {
  const room = new WaitingRoom();
  const strangers = Array.from({ length: 1_024 }, () => new Socket());
  for (const stranger of strangers) {
    expect(room.isFullFor(new Socket())).toBe(false);
    room.enter(stranger);
  }
  expect(room.isFullFor(new Socket())).toBe(true);
  strangers[0]?.emit('close');
  expect(room.isFullFor(new Socket())).toBe(false);
  room.close();
});

test('one address takes at most a quarter of the waiting room, so that others still get in', () => {
  const room = new WaitingRoom();
  const from = (remoteAddress: string) =>
    Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress });
  const strangers = Array.from({ length: 256 }, () => from('192.0.2.1'));
  for (const stranger of strangers) {
    expect(room.isFullFor({ remoteAddress: '192.0.2.1' })).toBe(false);
    room.enter(stranger);
  }
  expect(room.isFullFor({ remoteAddress: '192.0.2.1' })).toBe(true);
  expect(room.isFullFor({ remoteAddress: '192.0.2.2' })).toBe(false);
  strangers[0]?.emit('close');
  expect(room.isFullFor({ remoteAddress: '192.0.2.1' })).toBe(false);
  room.close();
});
