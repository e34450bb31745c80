// Loaded into the process of a runner before its program, so that a bench can measure the same runner with and without its
// metering: each SIGUSR2 turns it off or on again. The log then says how much CPU metering has taken since the last time. What
// it costs is far below the other work of a runner, so a difference between two windows would show that work's noise.
import { JournalWriter } from '../src/meter/journal-writer.ts';
import { UsageMeter } from '../src/meter/meter.ts';

let isOn = true;
let spentUs = 0;
let depth = 0;

/** Calls may contain each other; the outermost counts. All of them are synchronous. */
function timed<Result>(work: () => Result): Result {
  const before = depth === 0 ? process.cpuUsage() : undefined;
  depth += 1;
  try {
    return work();
  } finally {
    depth -= 1;
    if (before !== undefined) {
      const { user, system } = process.cpuUsage(before);
      spentUs += user + system;
    }
  }
}

const meter = UsageMeter.prototype;
const { begin, change, hold, end, record, mark, nextBatch, acknowledge } = meter;
const { flush } = JournalWriter.prototype;

meter.begin = function (...args) {
  if (isOn) timed(() => begin.apply(this, args));
};
meter.change = function (...args) {
  if (isOn) timed(() => change.apply(this, args));
};
meter.hold = function (...args) {
  if (isOn) timed(() => hold.apply(this, args));
};
meter.end = function (...args) {
  if (isOn) timed(() => end.apply(this, args));
};
meter.record = function (...args) {
  if (isOn) timed(() => record.apply(this, args));
};
meter.mark = function () {
  if (isOn) timed(() => mark.apply(this));
};
meter.nextBatch = function (...args) {
  return isOn ? timed(() => nextBatch.apply(this, args)) : { intervals: [], ended: [] };
};
meter.acknowledge = function (...args) {
  return timed(() => acknowledge.apply(this, args));
};
JournalWriter.prototype.flush = function () {
  return timed(() => flush.apply(this));
};

process.on('SIGUSR2', () => {
  isOn = !isOn;
  console.log(`metering ${isOn ? 'on' : 'off'} after ${spentUs} µs`);
  spentUs = 0;
});
