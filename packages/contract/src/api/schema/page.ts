// Listings: wrapped from the version that has `wrappedLists`, a bare array before.
import { z } from 'zod';
import { PaginationMeta } from './shared.ts';

export const pageOrArray = <Item extends z.ZodType>(id: string, item: Item) =>
  z.union([z.object({ data: z.array(item), meta: PaginationMeta }).meta({ id }), z.array(item)]);
