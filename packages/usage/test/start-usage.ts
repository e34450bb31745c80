import { createLogger } from '@berth/telemetry';
import { openUsage, type Usage } from '@berth/usage';
import { startTestClickhouse, type TestClickhouse } from '../../../engines/test-clickhouse.ts';

export type TestUsage = AsyncDisposable & { readonly engine: TestClickhouse; readonly usage: Usage };

export async function startUsage(): Promise<TestUsage> {
  const engine = await startTestClickhouse();
  const usage = openUsage({ url: engine.url, logger: createLogger({ role: 'test' }, { level: 'error' }) });
  await usage.migrate();
  return {
    engine,
    usage,
    async [Symbol.asyncDispose]() {
      await usage.close();
      await engine[Symbol.asyncDispose]();
    },
  };
}
