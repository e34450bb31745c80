import type { RateRefusal } from '@berth/identity';
import { GatewayError } from '../errors/gateway-error.ts';

const settings = { key: 'gateway.rateLimits.perKey', address: 'gateway.rateLimits.perAddress' };

export const rateRefusal = ({ limit, message, retryAfterSeconds }: RateRefusal): GatewayError =>
  new GatewayError('RATE_LIMITED', {
    ...{ limit, message, retryAfterSeconds },
    action: `Send the request again after the time in Retry-After, and fewer at once; the operator can raise ${settings[limit]}.`,
  });
