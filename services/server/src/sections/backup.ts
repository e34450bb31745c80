import { z } from 'zod';

const Program = z.array(z.string().min(1)).min(1);

export const backupSection = z
  .object({
    keyFile: z
      .string()
      .optional()
      .describe(
        'File with the key that backups are encrypted with: 32 random bytes in base64 or hex. Keep a copy where the backups are not.',
      ),
    pgDump: Program.default(['pg_dump']).describe(
      'Program and arguments that run pg_dump of the version of the server; in a container: ["docker", "exec", "-i", "-e", "PGPASSWORD", "<container>", "pg_dump"].',
    ),
    pgRestore: Program.default(['pg_restore']).describe('The same for pg_restore.'),
  })
  .prefault({});
