// Loaded into the process of a runner before its program, so that a bench can measure the same runner with and without its
// metering: each SIGUSR2 turns it off or on again, and says so in the log.
import { UsageMeter } from '../src/meter/meter.ts';

let isOn = true;
const meter = UsageMeter.prototype;
const { begin, change, hold, end, record, mark, nextBatch } = meter;

meter.begin = function (...args) {
  if (isOn) begin.apply(this, args);
};
meter.change = function (...args) {
  if (isOn) change.apply(this, args);
};
meter.hold = function (...args) {
  if (isOn) hold.apply(this, args);
};
meter.end = function (...args) {
  if (isOn) end.apply(this, args);
};
meter.record = function (...args) {
  if (isOn) record.apply(this, args);
};
meter.mark = function () {
  if (isOn) mark.apply(this);
};
meter.nextBatch = function (...args) {
  return isOn ? nextBatch.apply(this, args) : { intervals: [], ended: [] };
};

process.on('SIGUSR2', () => {
  isOn = !isOn;
  console.log(`metering ${isOn ? 'on' : 'off'}`);
});
