import { apiSection } from '../sections/api.ts';
import { clickhouseSection } from '../sections/clickhouse.ts';
import { masterKeysSection } from '../sections/master-keys.ts';
import { placementSection } from '../sections/placement.ts';
import { postgresSection } from '../sections/postgres.ts';
import { defineRole } from './server-role.ts';

export const apiRole = defineRole({
  name: 'api',
  healthPort: 9080,
  sections: {
    postgres: postgresSection,
    clickhouse: clickhouseSection,
    masterKeys: masterKeysSection,
    placement: placementSection,
    api: apiSection,
  },
  async start({ postgres, clickhouse, masterKeys, placement, api }, { logger, registry }) {
    const [{ startApi }, { masterKeyRing }] = await Promise.all([import('@berth/api'), import('@berth/identity')]);
    const keys = masterKeyRing(masterKeys);
    return startApi({
      config: api,
      placement,
      databaseUrl: postgres.url,
      clickhouse,
      masterKeys: keys,
      logger,
      registry,
    });
  },
});
