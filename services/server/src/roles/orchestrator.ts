import { gatewayUrl } from '@berth/api/config';
import { apiSection } from '../sections/api.ts';
import { clickhouseSection } from '../sections/clickhouse.ts';
import { masterKeysSection } from '../sections/master-keys.ts';
import { orchestratorSection } from '../sections/orchestrator.ts';
import { placementSection } from '../sections/placement.ts';
import { postgresSection } from '../sections/postgres.ts';
import { restateSection } from '../sections/restate.ts';
import { scalingSection } from '../sections/scaling.ts';
import { requireSchema } from './require-schema.ts';
import { defineRole } from './server-role.ts';

export const orchestratorRole = defineRole({
  name: 'orchestrator',
  healthPort: 9081,
  // The orchestrator needs the api section for the brand, the regions, the limits of accounts and the gateway's address.
  sections: {
    postgres: postgresSection,
    clickhouse: clickhouseSection,
    masterKeys: masterKeysSection,
    restate: restateSection,
    orchestrator: orchestratorSection,
    placement: placementSection,
    scaling: scalingSection,
    api: apiSection,
  },
  async start(
    { postgres, clickhouse, masterKeys, restate, orchestrator, placement, scaling, api },
    { logger, registry, spans },
  ) {
    await requireSchema(postgres.url);
    const [{ startOrchestrator }, { masterKeyRing }] = await Promise.all([
      import('@berth/orchestrator'),
      import('@berth/identity'),
    ]);
    return startOrchestrator({
      config: orchestrator,
      placement,
      scaling,
      limits: { limits: api.limits, tiers: api.tiers },
      brand: api.brand,
      regions: api.regions,
      gatewayUrl: placement.jobs.gatewayUrl ?? gatewayUrl(api),
      databaseUrl: postgres.url,
      masterKeys: masterKeyRing(masterKeys),
      restate,
      clickhouse,
      logger,
      registry,
      spans,
    });
  },
});
