import { readdirSync, readFileSync } from 'node:fs';
import { assetUrl } from '@berth/release';
import { expect, test } from 'vitest';
import { contractions } from './contractions.ts';

/** Of the first release: there is no earlier server. */
const lastUnchecked = '0024-invocations.sql';
const folder = assetUrl('packages/database/migrations/');
const names = readdirSync(folder).toSorted();

test('the schema is one that the version before can work with', () => {
  expect(names).toContain(lastUnchecked);
  const checked = names.filter((name) => name > lastUnchecked);
  const found = checked.flatMap((name) =>
    contractions(readFileSync(new URL(name, folder), 'utf8')).map((text) => `${name}: ${text}`),
  );
  expect(found).toEqual([]);
});

test.each([
  'drop table runs',
  'alter table runs drop column seconds',
  'ALTER TABLE runs\n  RENAME COLUMN seconds TO length',
  'alter table runs alter column seconds type bigint',
  'alter table runs alter column seconds set data type bigint',
  'alter table runs alter column seconds set not null',
  'alter table runs alter column seconds drop default',
  'alter table runs add column seconds int not null',
  'alter table runs add length int not null default 1, add column seconds int not null',
])('%s is noticed', (statement) => {
  expect(contractions(`create table other (a int);\n${statement};`)).toHaveLength(1);
  expect(contractions(`-- contracts: nothing reads it since 0.2.0\n${statement};`)).toEqual([]);
});

test.each([
  'create table runs (id uuid not null, seconds int not null)',
  'alter table runs add column seconds int not null default 0, add column name text',
  'alter table runs add column day date not null generated always as (at::date) stored',
  'create index runs_by_day on runs (day)',
  '-- drop table runs\nselect 1',
  'create function ended() returns trigger language plpgsql as $$ begin drop table other; return new; end $$',
  'alter table runs drop constraint runs_check',
])('%s is allowed', (statement) => {
  expect(contractions(`${statement};`)).toEqual([]);
});

test('the migrations of the first release hold some, so the check can fail', () => {
  const first = names.filter((name) => name <= lastUnchecked);
  const found = first.flatMap((name) => contractions(readFileSync(new URL(name, folder), 'utf8')));
  expect(found.length).toBeGreaterThan(0);
});
