import { apiSection } from '../sections/api.ts';
import { clickhouseSection } from '../sections/clickhouse.ts';
import { gatewaySection } from '../sections/gateway.ts';
import { postgresSection } from '../sections/postgres.ts';
import { scalingSection } from '../sections/scaling.ts';
import { defineRole } from './server-role.ts';

export const gatewayRole = defineRole({
  name: 'gateway',
  healthPort: 9083,
  // The gateway needs the api section for the brand, the workload domain and the limits of accounts.
  sections: {
    postgres: postgresSection,
    clickhouse: clickhouseSection,
    gateway: gatewaySection,
    scaling: scalingSection,
    api: apiSection,
  },
  async start({ postgres, clickhouse, gateway, scaling, api }, { logger, registry }) {
    const { startGateway } = await import('@berth/gateway');
    const { brand, workloadDomain } = api;
    return startGateway({
      config: gateway,
      limits: { limits: api.limits, tiers: api.tiers },
      scaling,
      brand,
      workloadDomain,
      databaseUrl: postgres.url,
      clickhouse,
      logger,
      registry,
    });
  },
});
