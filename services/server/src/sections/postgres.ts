import { z } from 'zod';

export const postgresSection = z.object({
  // Holds a password, so there is no default; BERTH_POSTGRES_URL_FILE keeps it out of the environment.
  url: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'Expected an address such as postgres://user:password@host:5432/berth')
    .describe('Address of the PostgreSQL database; holds a password.'),
});
