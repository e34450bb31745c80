import type { Registration } from './call.ts';

/** Path prefix of the management API; behaviour versions are selected by a header. */
export const prefix = '/v0';

/** Methods allowed on a path; empty when no operation has the path. Called only when no route matched. */
export function allowedMethods(registrations: readonly Registration[], url: string): string[] {
  const path = url.split('?', 1)[0] ?? '';
  const matching = registrations.filter(({ operation }) => {
    const full = (operation.base === 'api_url' ? '' : prefix) + operation.path;
    return new RegExp(`^${full.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`).test(path);
  });
  return [...new Set(matching.map(({ operation }) => operation.method))].sort();
}
