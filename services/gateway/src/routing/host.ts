import { onlyValueOf } from '../access/raw-headers.ts';

const hostForm = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9_](?:[a-z0-9._-]{0,253}[a-z0-9_])?)\.?(?::\d{1,5})?$/;

/** Lower case, without its port and the dot of the root; undefined when no host is written like that. */
export function hostIn(header: string | undefined): string | undefined {
  return hostForm.exec(header?.toLowerCase() ?? '')?.[1];
}

/** A request with two hosts would be read one way here and another way behind us. */
export function hostHeader(rawHeaders: readonly string[]): string | undefined {
  return onlyValueOf(rawHeaders, 'host') ?? undefined;
}
