-- Monthly partitions for what grows with time. The default partition only catches rows when maintenance has not run:
-- a write never fails for want of a partition.

create table resource_events_default partition of resource_events default;
create table outbox_default partition of outbox default;
create table audit_log_default partition of audit_log default;

create function ensure_month_partitions(parent text, first_month date, months integer) returns void
  language plpgsql
  as $$
    declare
      month date;
      partition text;
    begin
      for step in 0 .. months - 1 loop
        month := (date_trunc('month', first_month) + make_interval(months => step))::date;
        partition := format('%s_%s', parent, to_char(month, 'YYYY_MM'));
        if to_regclass(partition) is null then
          execute format('create table %I partition of %I for values from (%L) to (%L)',
            partition, parent, month, (month + interval '1 month')::date);
        end if;
      end loop;
    end
  $$;

create function drop_month_partitions_before(parent text, oldest_kept date) returns integer
  language plpgsql
  as $$
    declare
      child record;
      dropped integer := 0;
    begin
      for child in
        select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = parent::regclass and c.relname ~ '_\d{4}_\d{2}$'
      loop
        if to_date(right(child.relname, 7), 'YYYY_MM') < date_trunc('month', oldest_kept)::date then
          execute format('drop table %I', child.relname);
          dropped := dropped + 1;
        end if;
      end loop;
      return dropped;
    end
  $$;

select ensure_month_partitions(parent, current_date, 3) from unnest(array['resource_events', 'outbox', 'audit_log']) as parent;
