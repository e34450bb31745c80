import { type Brand, defaultBrand } from '@berth/contract';
import { environment } from '@berth/telemetry';

/** The whole suite runs under another brand when BERTH_TEST_BRAND is `<Long>:<short>`. */
export function conformanceBrand(): Brand {
  const [long, short] = (environment.BERTH_TEST_BRAND ?? '').split(':');
  return long === undefined || short === undefined || long === '' ? defaultBrand : { long, short };
}
