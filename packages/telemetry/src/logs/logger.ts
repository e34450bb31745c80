import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { redacted, redactLine } from './redact.ts';

export type { Logger } from 'pino';

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
type LogLevel = (typeof logLevels)[number];

// Formatters see the fields of a line but not a child logger's bindings, so pino redacts these names a second time.
const boundSecrets = ['authorization', 'cookie', 'password', 'secret', 'token', 'apiKey', 'accessToken', 'masterKey'];

/** Lines are buffered: a system call for every request would cost more than the request's own work. */
const standardOutput = pino.destination({ dest: 1, sync: true, minLength: 8192, periodicFlush: 100 });

/** Call before the process exits on purpose. A killed process loses at most a tenth of a second of lines. */
export function flushLogs(): void {
  standardOutput.flushSync();
}

let lastMs = 0;
let lastText = '';

/**
 * Caches the formatted time: many lines share a millisecond, and formatting it costs more
 * than the rest of a short line.
 */
function isoTime(): string {
  const ms = Date.now();
  if (ms !== lastMs) {
    lastMs = ms;
    lastText = `,"time":"${new Date(ms).toISOString()}"`;
  }
  return lastText;
}

/** Writes JSON lines to standard output; every line has `role` and the caller's bindings. */
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
    // The error is already a plain object here: pino's serializer would rename its type and join its causes' messages.
    serializers: { err: (error: unknown) => error },
    redact: { paths: [...boundSecrets], censor: redacted },
  };
  return pino(settings, options.destination ?? standardOutput).child(bindings);
}
