import * as z from 'zod/mini';

// The values that tools take, each with the sentence that a model reads. Optional ones may be left out or null: models send either.
export const text = (description: string) => z.string().check(z.describe(description));
export const whole = (description: string) => z.int().check(z.describe(description));
export const flag = (description: string) => z.boolean().check(z.describe(description));
export const decimal = (description: string) => z.number().check(z.describe(description));
export const listOf = <Item extends z.ZodMiniType>(item: Item, description: string) =>
  z.array(item).check(z.describe(description));
