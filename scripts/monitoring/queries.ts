// Forms of queries that several panels share.
const per = (labels: string): string => (labels === '' ? '' : ` by (${labels})`);

/** Rate of a counter. */
export const rate = (series: string, by = ''): { expr: string; legend: string } => ({
  expr: `sum${per(by)} (rate(${series}[5m]))`,
  legend: legendOf(by),
});

/** The same, and 0 while nothing was counted: the series begins with the first event. */
export const rareRate = (series: string, by: string): { expr: string; legend: string } => ({
  expr: `sum${per(by)} (rate(${series}[5m])) or vector(0)`,
  legend: legendOf(by),
});

/** Quantiles of a histogram, by its name without `_bucket`. */
export const quantiles = (histogram: string, by = '', matching = ''): { expr: string; legend: string }[] =>
  [0.5, 0.99].map((quantile) => ({
    expr: `histogram_quantile(${quantile}, sum by (${by === '' ? 'le' : `le, ${by}`}) (rate(${histogram}_bucket${matching}[5m])))`,
    legend: `p${quantile * 100} ${legendOf(by)}`.trim(),
  }));

export const gauge = (expr: string, by: string): { expr: string; legend: string } => ({ expr, legend: legendOf(by) });

const legendOf = (by: string): string =>
  by === ''
    ? ''
    : by
        .split(', ')
        .map((label) => `{{${label}}}`)
        .join(' ');
