// How long a terminated row is still shown. The clock is PostgreSQL's, which also wrote the time of termination.
import { type SqlBool, sql } from 'kysely';

/** Rows are removed for good after this long, whatever retention they ask for. */
const longestSeconds = 30 * 24 * 60 * 60;
const retention = sql`coalesce(spec->'lifecycle'->>'terminatedRetention', '5m')`;
const retentionSeconds = sql`least(${sql.lit(longestSeconds)}, left(${retention}, -1)::numeric *
  case right(${retention}, 1) when 's' then 1 when 'm' then 60 when 'h' then 3600 when 'd' then 86400 else 604800 end)`;

export const stillShown = sql<SqlBool>`terminated_at + make_interval(secs => (${retentionSeconds})::double precision) > clock_timestamp()`;

export const liveOrShown = sql<SqlBool>`(terminated_at is null or ${stillShown})`;
