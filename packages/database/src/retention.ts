import { sql } from 'kysely';

/** Upper bound: rows are removed after this long, regardless of their own retention. */
const maxRetentionSeconds = 30 * 24 * 60 * 60;
const retention = sql`coalesce(spec->'lifecycle'->>'terminatedRetention', '5m')`;

/** Time that the row of a resource stays after its end; the resource is not shown after that. */
export const retentionSeconds = sql`least(${sql.lit(maxRetentionSeconds)}, left(${retention}, -1)::numeric *
  case right(${retention}, 1) when 's' then 1 when 'm' then 60 when 'h' then 3600 when 'd' then 86400 else 604800 end)`;

/** Days during which only the account of a deleted workspace may use its name again. */
export const releasedNameDays = 30;
