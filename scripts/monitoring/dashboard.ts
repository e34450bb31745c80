// A dashboard as a short description, and its form for Grafana.

type Query = { readonly expr: string; readonly legend: string };

export type Panel = {
  readonly title: string;
  /** Name of a unit in Grafana. */
  readonly unit: 'short' | 's' | 'reqps' | 'Bps' | 'bytes' | 'percent' | 'ops';
  readonly queries: readonly Query[];
};

export type Dashboard = {
  /** Name of the file, and id in Grafana. */
  readonly name: string;
  readonly title: string;
  readonly panels: readonly Panel[];
};

const columns = 2;
const width = 24 / columns;
const height = 8;
// biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of Grafana.
const datasource = { type: 'prometheus', uid: '${datasource}' };

export function grafanaDashboard({ name, title, panels }: Dashboard) {
  return {
    uid: `berth-${name}`,
    title,
    tags: ['berth'],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: { list: [{ name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Prometheus' }] },
    panels: panels.map((panel, index) => grafanaPanel(panel, index)),
  };
}

function grafanaPanel({ title, unit, queries }: Panel, index: number) {
  return {
    id: index + 1,
    type: 'timeseries',
    title,
    datasource,
    gridPos: { x: (index % columns) * width, y: Math.floor(index / columns) * height, w: width, h: height },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
    targets: queries.map(({ expr, legend }, at) => ({
      refId: String.fromCharCode(65 + at),
      datasource,
      expr,
      legendFormat: legend,
    })),
  };
}
