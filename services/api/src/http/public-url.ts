import type { ApiConfig } from '../config.ts';

/** Address at which clients reach a host name of a workload or a preview. */
export function publicUrl(
  host: string,
  { workloadScheme, workloadPort }: Pick<ApiConfig, 'workloadScheme' | 'workloadPort'>,
): string {
  return `${workloadScheme}://${host}${workloadPort === undefined ? '' : `:${workloadPort}`}`;
}
