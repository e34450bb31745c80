import type { Registration } from './call.ts';

/** The management API's version of paths; behaviour versions are a header. */
export const prefix = '/v0';

/** Methods that an address takes; empty when no operation has that address. Only asked when nothing else answered. */
export function allowedMethods(registrations: readonly Registration[], url: string): string[] {
  const path = url.split('?', 1)[0] ?? '';
  const matching = registrations.filter(({ operation }) => {
    const full = (operation.base === 'api_url' ? '' : prefix) + operation.path;
    return new RegExp(`^${full.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`).test(path);
  });
  return [...new Set(matching.map(({ operation }) => operation.method))].sort();
}
