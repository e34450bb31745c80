import { onlyValueOf } from '../http/raw-headers.ts';

const hostForm = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9_](?:[a-z0-9._-]{0,253}[a-z0-9_])?)\.?(?::\d{1,5})?$/;

/** Lower case, without port and trailing dot; undefined when the header is not a valid host. */
export function hostIn(header: string | undefined): string | undefined {
  return hostForm.exec(header?.toLowerCase() ?? '')?.[1];
}

/** Undefined for two Host headers: the workload could read such a request differently from the gateway. */
export function hostHeader(rawHeaders: readonly string[]): string | undefined {
  return onlyValueOf(rawHeaders, 'host') ?? undefined;
}
