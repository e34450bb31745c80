import { startApi } from '@berth/api';
import { masterKeyRing } from '@berth/identity';
import { defineRole } from '../role.ts';
import { apiSection } from '../sections/api.ts';
import { clickhouseSection } from '../sections/clickhouse.ts';
import { postgresSection } from '../sections/postgres.ts';
import { masterKeysSection } from '../sections/secrets.ts';

export const apiRole = defineRole({
  name: 'api',
  healthPort: 9080,
  sections: {
    postgres: postgresSection,
    clickhouse: clickhouseSection,
    masterKeys: masterKeysSection,
    api: apiSection,
  },
  start: ({ postgres, clickhouse, masterKeys, api }, { logger, registry }) =>
    startApi({
      config: api,
      databaseUrl: postgres.url,
      clickhouse,
      masterKeys: masterKeyRing(masterKeys),
      logger,
      registry,
    }),
});
