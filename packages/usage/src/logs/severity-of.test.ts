import { type LogSeverity, severityNumbers } from '@berth/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { severityOf } from './severity-of.ts';

const lines: readonly (readonly [LogSeverity, string])[] = [
  ['INFO', '{"level":30,"time":1700000000000,"msg":"listening"}'],
  ['FATAL', '{"level":60,"msg":"gone"}'],
  ['ERROR', '{"level":"error","msg":"no"}'],
  ['WARNING', '  {"severity":"WARNING","message":"hm"}'],
  ['DEBUG', '{"msg":"a","levelname":"DEBUG"}'],
  ['ERROR', '{"version":"1.1","level":3}'],
  ['DEBUG', '{"level":"20"}'],
  ['UNKNOWN', '{"level":"purple"}'],
  ['UNKNOWN', '{"level":-1}'],
  ['UNKNOWN', '{"msg":"{\\"level\\":\\"error\\"}"}'],
  ['UNKNOWN', '{"user":{"level":50}}'],
  ['UNKNOWN', '{"level":'],
  ['ERROR', 'ERROR'],
  ['ERROR', 'ERROR cannot connect'],
  ['WARNING', '[warn] slow'],
  ['WARNING', 'WARNING: slow'],
  ['WARNING', 'WARNING:root:slow'],
  ['INFO', 'INFO:     Uvicorn running on 0.0.0.0:80'],
  ['ERROR', 'error: no such file'],
  ['INFO', 'time="2026-01-01T00:00:00Z" level=info msg="ready"'],
  ['ERROR', 'ts=1 lvl="error" msg=x'],
  ['ERROR', '2026-01-01 10:00:00,123 ERROR something'],
  ['ERROR', '2026-01-01T10:00:00.123Z [ERROR] something'],
  ['WARNING', '2026-01-01 10:00:00,123 - my.logger - WARNING - something'],
  ['DEBUG', '2026-01-01 10:00:00 | DEBUG    | app:main:3 - x'],
  ['INFO', '10:00:00.123 [main] INFO  c.example.App - started'],
  ['TRACE', '[TRACE] in'],
  ['FATAL', 'panic: runtime error: index out of range'],
  ['FATAL', "thread 'main' panicked at src/main.rs:2:5:"],
  ['FATAL', 'CRITICAL:app:gone'],
  ['ERROR', 'Traceback (most recent call last):'],
  ['ERROR', "TypeError: Cannot read properties of undefined (reading 'x')"],
  ['ERROR', 'java.lang.IllegalStateException: no'],
  ['ERROR', 'Error [ERR_MODULE_NOT_FOUND]: no'],
  ['ERROR', 'npm ERR! missing script: start'],
  ['WARNING', 'npm warn deprecated x'],
  ['UNKNOWN', 'hello'],
  ['UNKNOWN', ''],
  ['UNKNOWN', 'Information about the error handling of Tracey'],
  ['UNKNOWN', 'Error handling is a craft'],
  ['UNKNOWN', 'no errors, no warnings'],
  ['UNKNOWN', 'INFORMAL talk'],
  ['UNKNOWN', '    at Object.<anonymous> (/app/index.js:1:7)'],
];

test.each(lines)('%s: %s', (severity, text) => {
  expect(severityOf(text)).toBe(severity);
});

test('any text has a severity, and a long one does not take long', () => {
  fc.assert(fc.property(fc.string(), (text) => Object.keys(severityNumbers).includes(severityOf(text))));
  const long = ['- ', '[', 'level=', 'A.', 'a:', '{"a":['].map((part) => part.repeat(262_144 / part.length));
  // With quadratic run time each of these lines would take minutes.
  const before = process.threadCpuUsage().user;
  for (const text of long) severityOf(text);
  expect(process.threadCpuUsage().user - before).toBeLessThan(10_000_000);
});
