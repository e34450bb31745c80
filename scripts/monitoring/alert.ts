/** What `promtool test rules` plays: series in its notation, with one value each interval. */
type Proof = {
  /** 15 s where it is absent. */
  readonly interval?: string;
  readonly series: Readonly<Record<string, string>>;
  /** Time at which the alert does not fire yet. */
  readonly quietAt: string;
  readonly firesAt: string;
  /** Labels of the alert, besides its severity. */
  readonly labels: Readonly<Record<string, string>>;
  /** Its summary then. */
  readonly says: string;
};

export type Alert = {
  readonly name: string;
  /** PromQL. Thresholds are what is seen at once; `for` says how long it may last. */
  readonly expr: string;
  /** For example `2m`. */
  readonly for: string;
  /** `page`: users notice it. `ticket`: it becomes worse if it stays. */
  readonly severity: 'page' | 'ticket';
  /** What is wrong; may use the labels of the result. */
  readonly summary: string;
  /** What to do next. */
  readonly fix: string;
  readonly proof: Proof;
};

export type AlertGroup = { readonly name: string; readonly alerts: readonly Alert[] };

export const defineAlerts = (group: AlertGroup): AlertGroup => group;
