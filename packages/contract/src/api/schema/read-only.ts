// Fields that the service sets, marked as such in the published document. A client that sends them is not refused, and
// changes nothing.
import type { z } from 'zod';

export const readOnly = <T extends z.ZodType>(schema: T): T => schema.meta({ readOnly: true });

export const allReadOnly = (fields: Readonly<Record<string, z.ZodType>>): Record<string, z.ZodType> =>
  Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, readOnly(schema)]));
