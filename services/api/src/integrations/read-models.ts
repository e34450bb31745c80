// Models in the answer of a provider that lists them. Pure.
import type { IntegrationModel, ModelListing } from '@berth/contract';
import type { z } from 'zod';
import { isObject } from '../json.ts';

export type ProviderModel = z.output<typeof IntegrationModel> & { readonly id: string };

/** Undefined when the text is no list of models. Items without an id are left out, and `key` is shown in none. */
export function readModels(listing: ModelListing, text: string, key: string): ProviderModel[] | undefined {
  const items = fieldOf(parseJson(text, key), listing.items);
  if (!Array.isArray(items)) return undefined;
  return items.flatMap((item) => readModel(listing, item) ?? []);
}

function readModel({ id, idPrefix = '', name, author, createdAt }: ModelListing, item: unknown) {
  const found = textOf(fieldOf(item, id));
  if (found === undefined) return undefined;
  const shortId = found.startsWith(idPrefix) ? found.slice(idPrefix.length) : found;
  const model: ProviderModel = {
    id: shortId,
    name: textOf(fieldOf(item, name)) ?? shortId,
    author: textOf(fieldOf(item, author)),
    created_at: timeOf(fieldOf(item, createdAt)),
  };
  return model;
}

/** Servers without authentication get short words as keys, which may be parts of names. */
const minSecretLength = 8;

function parseJson(text: string, key: string): unknown {
  const hide = (_name: string, value: unknown): unknown =>
    typeof value === 'string' && key.length >= minSecretLength ? value.replaceAll(key, '***') : value;
  try {
    return JSON.parse(text, hide);
  } catch {
    return undefined;
  }
}

const fieldOf = (node: unknown, path: string | undefined): unknown =>
  path?.split('.').reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), node);

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** Some providers write 0 for models whose age they do not tell. */
function timeOf(value: unknown): string | undefined {
  const time = typeof value === 'number' ? value * 1_000 : typeof value === 'string' ? Date.parse(value) : 0;
  const date = new Date(time);
  return time > 0 && !Number.isNaN(date.getTime()) ? date.toISOString() : undefined;
}
