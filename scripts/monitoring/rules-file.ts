// Alerts as files of Prometheus: the rules, and the tests that promtool runs on them.
import { stringify } from 'yaml';
import type { Alert } from './alert.ts';
import { alertGroups } from './alerts.ts';

const head = `# Written by \`pnpm monitoring\` from scripts/monitoring/alerts.ts: change it there.
# Check: promtool check rules rules.yaml && promtool test rules rules.test.yaml
`;

export const rulesFile = (): string =>
  head +
  stringify(
    {
      groups: alertGroups.map(({ name, alerts }) => ({
        name,
        rules: alerts.map(({ name: alert, expr, for: lasts, severity, summary, fix }) => ({
          alert,
          expr,
          for: lasts,
          labels: { severity },
          annotations: { summary, fix },
        })),
      })),
    },
    { lineWidth: 0 },
  );

const testHead = `# Written by \`pnpm monitoring\` from scripts/monitoring/alerts.ts: change it there.
# Run: promtool test rules rules.test.yaml
`;

export const ruleTestsFile = (): string =>
  testHead +
  stringify(
    {
      rule_files: ['rules.yaml'],
      tests: alertGroups.flatMap(({ alerts }) => alerts.map(ruleTest)),
    },
    { lineWidth: 0 },
  );

function ruleTest({ name: alertname, severity, fix, proof }: Alert) {
  const { interval = '15s', series, quietAt, firesAt, labels, says } = proof;
  const expected = { exp_labels: { severity, ...labels }, exp_annotations: { summary: says, fix } };
  return {
    name: alertname,
    interval,
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    alert_rule_test: [
      { eval_time: quietAt, alertname, exp_alerts: [] },
      { eval_time: firesAt, alertname, exp_alerts: [expected] },
    ],
  };
}
