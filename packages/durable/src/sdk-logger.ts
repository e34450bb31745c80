import type { Logger } from '@berth/telemetry';
import type { LoggerTransport } from '@restatedev/restate-sdk';

/** What the SDK says about itself. A failed attempt is not repeated here: the handler's own line has it, with its ids. */
export function sdkLogger(logger: Logger): LoggerTransport {
  return ({ level, context }, message) => {
    if (level === 'error' || level === 'warn') {
      logger.debug({ call: context?.invocationId, handler: context?.serviceName, sdk: String(message) }, 'restate sdk');
    }
  };
}
