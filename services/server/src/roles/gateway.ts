import { apiSection } from '../sections/api.ts';
import { clickhouseSection } from '../sections/clickhouse.ts';
import { gatewaySection } from '../sections/gateway.ts';
import { optionalMasterKeysSection } from '../sections/master-keys.ts';
import { postgresSection } from '../sections/postgres.ts';
import { providersSection } from '../sections/providers.ts';
import { scalingSection } from '../sections/scaling.ts';
import { requireSchema } from './require-schema.ts';
import { defineRole } from './server-role.ts';

export const gatewayRole = defineRole({
  name: 'gateway',
  healthPort: 9083,
  // The gateway needs the api section for the brand, the workload domain and the limits of accounts.
  sections: {
    postgres: postgresSection,
    masterKeys: optionalMasterKeysSection,
    clickhouse: clickhouseSection,
    gateway: gatewaySection,
    providers: providersSection,
    scaling: scalingSection,
    api: apiSection,
  },
  async start({ postgres, masterKeys, clickhouse, gateway, providers, scaling, api }, { logger, registry, spans }) {
    await requireSchema(postgres.url);
    const [{ startGateway }, { masterKeyRing }] = await Promise.all([
      import('@berth/gateway'),
      import('@berth/identity'),
    ]);
    const { brand, workloadDomain } = api;
    return startGateway({
      config: gateway,
      providers,
      limits: { limits: api.limits, tiers: api.tiers },
      scaling,
      brand,
      workloadDomain,
      databaseUrl: postgres.url,
      masterKeys: masterKeys && masterKeyRing(masterKeys),
      clickhouse,
      logger,
      registry,
      spans,
    });
  },
});
