import { expect, test } from 'vitest';
import { linesOf } from './watch-lines.ts';
import { eventAt, RecordReader } from './watch-records.ts';

const bytes = Buffer.from('Y\0Cd /tmp/a\0Wf /tmp/a/ü\n.txt\0Nf /b\0O\0L\0E\0');

test('watch records do not depend on where the stream is cut', () => {
  const whole = new RecordReader().read(bytes);
  expect(whole).toHaveLength(7);
  for (let size = 1; size < bytes.length; size += 1) {
    const reader = new RecordReader();
    const records = [];
    for (let at = 0; at < bytes.length; at += size) records.push(...reader.read(bytes.subarray(at, at + size)));
    expect(records).toEqual(whole);
  }
});

test('a file directly under / has an empty folder', () => {
  expect(eventAt('CREATE', '/b')).toEqual({ op: 'CREATE', name: 'b', path: '', error: null });
  expect(eventAt('CREATE', '/tmp/a')).toEqual({ op: 'CREATE', name: 'a', path: '/tmp', error: null });
});

test('each record becomes one line; ignored paths and readiness become none', () => {
  const records = new RecordReader().read(bytes);
  const lines = linesOf(records, { folder: '/tmp', ignore: ['/b'] })
    .trimEnd()
    .split('\n');
  expect(lines.map((line) => JSON.parse(line).op)).toEqual(['CREATE', 'WRITE', 'ERROR', 'ERROR', 'REMOVE']);
  expect(lines[2]).toContain('events were lost');
  expect(lines[3]).toContain('max_user_watches');
});
