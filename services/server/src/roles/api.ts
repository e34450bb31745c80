import { apiSection } from '../sections/api.ts';
import { clickhouseSection } from '../sections/clickhouse.ts';
import { masterKeysSection } from '../sections/master-keys.ts';
import { placementSection } from '../sections/placement.ts';
import { postgresSection } from '../sections/postgres.ts';
import { providersSection } from '../sections/providers.ts';
import { requireSchema } from './require-schema.ts';
import { defineRole } from './server-role.ts';

export const apiRole = defineRole({
  name: 'api',
  healthPort: 9080,
  sections: {
    postgres: postgresSection,
    clickhouse: clickhouseSection,
    masterKeys: masterKeysSection,
    placement: placementSection,
    providers: providersSection,
    api: apiSection,
  },
  async start({ postgres, clickhouse, masterKeys, placement, providers, api }, { logger, registry, spans }) {
    await requireSchema(postgres.url);
    const [{ startApi }, { masterKeyRing }] = await Promise.all([import('@berth/api'), import('@berth/identity')]);
    const keys = masterKeyRing(masterKeys);
    return startApi({
      config: api,
      placement,
      providers,
      databaseUrl: postgres.url,
      clickhouse,
      masterKeys: keys,
      logger,
      registry,
      spans,
    });
  },
});
