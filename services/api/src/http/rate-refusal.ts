import { type ApiError, requestErrors } from '@berth/contract';
import type { RateRefusal } from '@berth/identity';

const settings = { key: 'api.rateLimits.perKey', address: 'api.rateLimits.perAddress' };

export const rateRefusal = ({ limit, message, retryAfterSeconds }: RateRefusal): ApiError =>
  requestErrors.rate_limited({ refusedBy: limit, reason: message, setting: settings[limit], retryAfterSeconds });
