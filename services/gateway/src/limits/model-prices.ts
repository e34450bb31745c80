// Setting `gateway.models.prices`: what tokens cost at providers. Budgets of models count by it.
import { z } from 'zod';

const Usd = z
  .string('Expected decimal text in quotes, such as "2.50"')
  .regex(/^\d{1,9}(\.\d{1,18})?$/, 'Expected USD for 10⁶ tokens as a decimal, such as "2.50"');

const pattern = /^([^*]+\*?|\*)$/;

export const ModelPrice = z.object({
  provider: z.string().min(1).describe('Name of the provider, as integrations of connections have it.'),
  model: z
    .string()
    .regex(pattern, 'Expected the name of a model, or the beginning of names with a * at its end')
    .describe(
      'Name of the model at the provider, or the beginning of names with a * at its end. Of prices that are valid, the exact name wins, then the longest beginning.',
    ),
  validFrom: z.iso
    .datetime({ offset: true, error: 'Expected a time of RFC 3339, such as 2026-11-01T00:00:00Z' })
    .describe('Time from which the price is valid, until a later one for the same name.'),
  sent: Usd.describe('USD for 10⁶ tokens that are sent to the model.'),
  cached: Usd.optional().describe('USD for those that the provider had cached; the price of sent when left out.'),
  received: Usd.describe('USD for 10⁶ tokens that the model answers.'),
});
export type ModelPrice = z.infer<typeof ModelPrice>;

const keyOf = ({ provider, model, validFrom }: ModelPrice): string =>
  JSON.stringify([provider, model, Date.parse(validFrom)]);

export const ModelPrices = z
  .array(ModelPrice)
  .superRefine((prices, context) => {
    const seen = new Set<string>();
    for (const [index, price] of prices.entries()) {
      const key = keyOf(price);
      const message = `${price.provider} has another price for ${price.model} from the same time: leave one out`;
      if (seen.has(key)) context.addIssue({ code: 'custom', path: [index], message });
      seen.add(key);
    }
  })
  .describe('Prices of models at their providers. Without one, a model is refused where a budget of models applies.');
export type ModelPrices = z.infer<typeof ModelPrices>;
