import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ReportBook } from './report-book.ts';

const ready = { state: 'ready', starts: 1 } as const;

test('that a sandbox sleeps is said with its state, and again whenever its state is said', () => {
  const book = new ReportBook(() => 0);
  book.put('a', ready);
  book.heard(book.waiting(10));
  book.note('a', { awake: false, usedMsAgo: 15_000 });
  expect(book.waiting(10)).toEqual([{ ...ready, instance: 'a', sequence: 2, awake: false, usedMsAgo: 15_000 }]);
  book.heard(book.waiting(10));
  book.put('a', { ...ready, generation: 2 });
  expect(book.waiting(10)).toMatchObject([{ sequence: 3, generation: 2, awake: false }]);
});

test('how long ago somebody used a sandbox is true when it is told, however late that is', () => {
  let nowMs = 1_000;
  const book = new ReportBook(() => nowMs);
  book.put('a', ready);
  book.note('a', { awake: true, usedMsAgo: 500 });
  nowMs += 3_600_000;
  book.repeatAll();
  expect(book.waiting(10)).toMatchObject([{ usedMsAgo: 3_600_500 }]);
});

test('the same news again is news, and grows in sequence', () => {
  const book = new ReportBook(() => 0);
  book.put('a', ready);
  const news = { awake: true, usedMsAgo: 0 };
  for (let sequence = 2; sequence < 5; sequence += 1) {
    book.note('a', news);
    expect(book.waiting(10)).toMatchObject([{ sequence }]);
    book.heard(book.waiting(10));
    expect(book.waiting(10)).toEqual([]);
  }
});

test('what is noted before an instance is ready waits for that, and ends with the run it is about', () => {
  const book = new ReportBook(() => 0);
  book.note('a', { awake: true, usedMsAgo: 0, isExpired: true });
  expect(book.waiting(10)).toEqual([]);
  book.put('a', ready);
  expect(book.waiting(10)).toMatchObject([{ awake: true, isExpired: true }]);
  book.put('a', { state: 'starting', starts: 2 });
  book.put('a', ready);
  expect(book.waiting(10)[0]).not.toHaveProperty('awake');
});

test('whatever is put, noted and heard in between, the api ends up with the last of both', () => {
  const acts = fc.array(fc.constantFrom('put', 'note', 'send', 'hear'), { maxLength: 40 });
  fc.assert(
    fc.property(acts, (history) => {
      const book = new ReportBook(() => 0);
      let [starts, usedMsAgo, heardSequence] = [0, 0, 0];
      let sent: ReturnType<ReportBook['waiting']> = [];
      let known: (typeof sent)[number] | undefined;
      const hear = (): void => {
        for (const report of sent) {
          expect(report.sequence).toBeGreaterThanOrEqual(heardSequence);
          heardSequence = report.sequence;
          known = report;
        }
        book.heard(sent);
        sent = [];
      };
      for (const act of ['put', 'note', ...history, 'send', 'hear', 'send', 'hear']) {
        if (act === 'put') {
          starts += 1;
          book.put('a', { state: 'ready', starts });
        }
        if (act === 'note') {
          usedMsAgo += 1;
          book.note('a', { awake: true, usedMsAgo });
        }
        if (act === 'send') sent = book.waiting(10);
        if (act === 'hear') hear();
      }
      expect(known).toMatchObject({ starts, usedMsAgo });
      expect(book.waiting(10)).toEqual([]);
    }),
  );
});
