import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { REDACTED, redactFields } from './redact.ts';

export type { Logger } from 'pino';

export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
type LogLevel = (typeof logLevels)[number];

// Formatters see a line's fields but not what a child logger binds, so these names are guarded a second time.
const BOUND_SECRETS = ['authorization', 'cookie', 'password', 'secret', 'token', 'apiKey', 'accessToken', 'masterKey'];

/** JSON lines on standard output; `role` and whatever the caller binds are on every line. */
export function createLogger(
  bindings: Readonly<Record<string, string>>,
  options: { level?: LogLevel; destination?: DestinationStream } = {},
): Logger {
  const settings: LoggerOptions = {
    level: options.level ?? 'info',
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: {
      level: (label) => ({ level: label }),
      log: redactFields,
    },
    // Already a plain object by then: pino's own serializer would rename its type and join its causes' messages.
    serializers: { err: (error: unknown) => error },
    redact: { paths: [...BOUND_SECRETS], censor: REDACTED },
  };
  const logger = options.destination ? pino(settings, options.destination) : pino(settings);
  return logger.child(bindings);
}
