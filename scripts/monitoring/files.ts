// The files of deploy/monitoring that are written from data, by their paths there.
import { type Dashboard, grafanaDashboard } from './dashboard.ts';
import { engines } from './dashboards/engines.ts';
import { gateway } from './dashboards/gateway.ts';
import { machines } from './dashboards/machines.ts';
import { overview } from './dashboards/overview.ts';
import { rulesFile, ruleTestsFile } from './rules-file.ts';

const dashboards: readonly Dashboard[] = [overview, gateway, machines, engines];

export const monitoringFiles = (): Readonly<Record<string, string>> => ({
  'rules.yaml': rulesFile(),
  'rules.test.yaml': ruleTestsFile(),
  ...Object.fromEntries(
    dashboards.map((dashboard) => [
      `dashboards/${dashboard.name}.json`,
      `${JSON.stringify(grafanaDashboard(dashboard), null, 2)}\n`,
    ]),
  ),
});
