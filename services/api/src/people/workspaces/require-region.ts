import { resourceErrors } from '@berth/contract';
import type { ApiConfig } from '../../config.ts';

export function requireRegion({ regions }: Pick<ApiConfig, 'regions'>, region: string | undefined): void {
  if (region === undefined || regions.some(({ name }) => name === region)) return;
  throw resourceErrors.unknown_region({
    field: 'region',
    region,
    regions: regions.map(({ name }) => name).join(', '),
  });
}
