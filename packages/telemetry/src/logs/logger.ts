import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { REDACTED, redactLine } from './redact.ts';

export type { Logger } from 'pino';

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
type LogLevel = (typeof logLevels)[number];

// Formatters see a line's fields but not what a child logger binds, so these names are guarded a second time.
const BOUND_SECRETS = ['authorization', 'cookie', 'password', 'secret', 'token', 'apiKey', 'accessToken', 'masterKey'];

/** A system call for every request would cost more than the request's own work: lines leave together, a moment later. */
const standardOutput = pino.destination({ dest: 1, sync: true, minLength: 8192, periodicFlush: 100 });

/** Before the process ends on purpose; at most a tenth of a second of lines is lost when it is killed. */
export function flushLogs(): void {
  standardOutput.flushSync();
}

let lastMs = 0;
let lastText = '';

/** Many lines share a millisecond, and writing it out costs more than the rest of a short line. */
function isoTime(): string {
  const ms = Date.now();
  if (ms !== lastMs) {
    lastMs = ms;
    lastText = `,"time":"${new Date(ms).toISOString()}"`;
  }
  return lastText;
}

/** JSON lines on standard output; `role` and whatever the caller binds are on every line. */
export function createLogger(
  bindings: Readonly<Record<string, string>>,
  options: { level?: LogLevel; destination?: DestinationStream } = {},
): Logger {
  const settings: LoggerOptions = {
    level: options.level ?? 'info',
    timestamp: isoTime,
    formatters: {
      level: (label) => ({ level: label }),
      log: redactLine,
    },
    // Already a plain object by then: pino's own serializer would rename its type and join its causes' messages.
    serializers: { err: (error: unknown) => error },
    redact: { paths: [...BOUND_SECRETS], censor: REDACTED },
  };
  return pino(settings, options.destination ?? standardOutput).child(bindings);
}
