import type { Logger } from '@berth/telemetry';
import type { LoggerTransport } from '@restatedev/restate-sdk';

/** Log lines of the SDK, at debug level only: a failed attempt is already in the handler's own line, with its ids. */
export function sdkLogger(logger: Logger): LoggerTransport {
  return ({ level, context }, message) => {
    if (level === 'error' || level === 'warn') {
      logger.debug({ call: context?.invocationId, handler: context?.serviceName, sdk: String(message) }, 'restate sdk');
    }
  };
}
