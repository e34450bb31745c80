import type { Database } from '@berth/database';
import { sql } from 'kysely';

/** Meanwhile PostgreSQL answers so many reads of metrics, each of which looks for dirty hours, and refuses further ones. */
export async function withPageReads(database: Database, reads: number, work: () => Promise<void>): Promise<void> {
  await sql`
    create sequence page_reads;
    alter table usage_dirty_hours rename to usage_dirty_hours_away;
    create function read_page() returns setof usage_dirty_hours_away language plpgsql as $$
    begin
      if nextval('page_reads') > ${sql.lit(reads)} then
        raise exception 'no more pages' using errcode = '57P03';
      end if;
      return query select * from usage_dirty_hours_away;
    end $$;
    create view usage_dirty_hours as select * from read_page()`.execute(database);
  try {
    await work();
  } finally {
    await sql`
      drop view usage_dirty_hours;
      drop function read_page;
      drop sequence page_reads;
      alter table usage_dirty_hours_away rename to usage_dirty_hours`.execute(database);
  }
}
