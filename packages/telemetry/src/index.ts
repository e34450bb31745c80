export { Counter, Gauge, Histogram, Registry } from 'prom-client';
export { ConfigError, type ConfigProblem } from './config/config-error.ts';
export { describeSettings, type SettingDescription } from './config/describe-settings.ts';
export { type ConfigSources, loadConfig } from './config/load-config.ts';
export { environment } from './environment.ts';
export { type HealthOptions, type HealthServer, startHealthServer } from './health/health-server.ts';
export { notReady, type ReadyReport, readyWhen } from './health/ready.ts';
export { createLogger, flushLogs, type Logger, logLevels } from './logs/logger.ts';
export { startWideEvent, type WideEvent } from './logs/wide-event.ts';
export { createMetricsRegistry } from './metrics/registry.ts';
export { exportSpans, type SpanExport } from './traces/export-spans.ts';
export { requestIdFrom } from './traces/request-id.ts';
export { noSpans, type Span, type SpanSink } from './traces/span.ts';
export {
  childOf,
  continueTrace,
  formatTraceparent,
  parseTraceparent,
  startTrace,
  type TraceContext,
} from './traces/traceparent.ts';
