import * as z from 'zod/mini';

// Argument types of tools, each with the sentence that a model reads. Optional arguments may be left out or null.
export const text = (description: string) => z.string().check(z.describe(description));
export const whole = (description: string) => z.int().check(z.describe(description));
export const flag = (description: string) => z.boolean().check(z.describe(description));
export const decimal = (description: string) => z.number().check(z.describe(description));
export const listOf = <Item extends z.ZodMiniType>(item: Item, description: string) =>
  z.array(item).check(z.describe(description));
