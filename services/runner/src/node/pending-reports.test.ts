import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PendingReports } from './pending-reports.ts';

const ready = { state: 'ready', starts: 1 } as const;

test('the activity of a sandbox is part of every report of its state', () => {
  const reports = new PendingReports(() => 0);
  reports.put('a', ready);
  reports.acknowledge(reports.nextBatch(10));
  reports.putActivity('a', { awake: false, usedMsAgo: 15_000 });
  expect(reports.nextBatch(10)).toEqual([{ ...ready, instance: 'a', sequence: 2, awake: false, usedMsAgo: 15_000 }]);
  reports.acknowledge(reports.nextBatch(10));
  reports.put('a', { ...ready, generation: 2 });
  expect(reports.nextBatch(10)).toMatchObject([{ sequence: 3, generation: 2, awake: false }]);
});

test('usedMsAgo grows until the report is sent', () => {
  let nowMs = 1_000;
  const reports = new PendingReports(() => nowMs);
  reports.put('a', ready);
  reports.putActivity('a', { awake: true, usedMsAgo: 500 });
  nowMs += 3_600_000;
  reports.resendAll();
  expect(reports.nextBatch(10)).toMatchObject([{ usedMsAgo: 3_600_500 }]);
});

test('endedMsAgo of a task grows until the report is sent, and again for the next session', () => {
  let nowMs = 1_000;
  const reports = new PendingReports(() => nowMs);
  const result = { reason: 'exited', exitCode: 3, ranMs: 40, endedMsAgo: 5 } as const;
  reports.put('a', { state: 'ended', starts: 1, result });
  nowMs += 700;
  expect(reports.nextBatch(10)).toMatchObject([{ state: 'ended', result: { ...result, endedMsAgo: 705 } }]);
  reports.acknowledge(reports.nextBatch(10));
  expect(reports.nextBatch(10)).toEqual([]);
  nowMs += 60_000;
  reports.resendAll();
  expect(reports.nextBatch(10)).toMatchObject([{ result: { ...result, endedMsAgo: 60_705 } }]);
});

test('an ended task stays the latest report until it is gone', () => {
  const reports = new PendingReports(() => 0);
  reports.put('a', { state: 'ended', starts: 1, result: { reason: 'lost', endedMsAgo: 0 } });
  reports.acknowledge(reports.nextBatch(10));
  expect(reports.stateOf('a')).toBe('ended');
  reports.put('a', { state: 'gone', starts: 1 });
  expect(reports.nextBatch(10)).toEqual([{ state: 'gone', starts: 1, instance: 'a', sequence: 2 }]);
  reports.acknowledge(reports.nextBatch(10));
  expect(reports.stateOf('a')).toBeUndefined();
});

test('the same activity again makes a new report with a higher sequence', () => {
  const reports = new PendingReports(() => 0);
  reports.put('a', ready);
  const activity = { awake: true, usedMsAgo: 0 };
  for (let sequence = 2; sequence < 5; sequence += 1) {
    reports.putActivity('a', activity);
    expect(reports.nextBatch(10)).toMatchObject([{ sequence }]);
    reports.acknowledge(reports.nextBatch(10));
    expect(reports.nextBatch(10)).toEqual([]);
  }
});

test('activity waits until the instance is ready, and is dropped when its run ends', () => {
  const reports = new PendingReports(() => 0);
  reports.putActivity('a', { awake: true, usedMsAgo: 0, isExpired: true });
  expect(reports.nextBatch(10)).toEqual([]);
  reports.put('a', ready);
  expect(reports.nextBatch(10)).toMatchObject([{ awake: true, isExpired: true }]);
  reports.put('a', { state: 'starting', starts: 2 });
  reports.put('a', ready);
  expect(reports.nextBatch(10)[0]).not.toHaveProperty('awake');
});

test('in any order of reports, activity and acknowledgements, the api ends up with the last of both', () => {
  const acts = fc.array(fc.constantFrom('put', 'note', 'send', 'hear'), { maxLength: 40 });
  fc.assert(
    fc.property(acts, (history) => {
      const reports = new PendingReports(() => 0);
      let [starts, usedMsAgo, heardSequence] = [0, 0, 0];
      let sent: ReturnType<PendingReports['nextBatch']> = [];
      let known: (typeof sent)[number] | undefined;
      const hear = (): void => {
        for (const report of sent) {
          expect(report.sequence).toBeGreaterThanOrEqual(heardSequence);
          heardSequence = report.sequence;
          known = report;
        }
        reports.acknowledge(sent);
        sent = [];
      };
      for (const act of ['put', 'note', ...history, 'send', 'hear', 'send', 'hear']) {
        if (act === 'put') {
          starts += 1;
          reports.put('a', { state: 'ready', starts });
        }
        if (act === 'note') {
          usedMsAgo += 1;
          reports.putActivity('a', { awake: true, usedMsAgo });
        }
        if (act === 'send') sent = reports.nextBatch(10);
        if (act === 'hear') hear();
      }
      expect(known).toMatchObject({ starts, usedMsAgo });
      expect(reports.nextBatch(10)).toEqual([]);
    }),
  );
});
