// The environment, where there is one: browsers have none.

declare const process: { readonly env?: Readonly<Record<string, string | undefined>> } | undefined;

export const variable = (name: 'BERTH_URL' | 'BERTH_KEY' | 'BERTH_WORKSPACE'): string | undefined =>
  typeof process === 'undefined' ? undefined : process.env?.[name] || undefined;
