import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { environment } from '@berth/telemetry';
import { beforeAll, expect, test } from 'vitest';
import { requireDebianPackages } from '../../../../engines/debian-packages.ts';
import { runEnvironment, runFolder } from '../../../../engines/run.ts';
import { createTestDatabase } from '../../../../engines/test-database.ts';
import type { Year, YearProgram } from './year/program.ts';

let year: Year;

/** The listener's certificate lives for 90 days, a runner's for 30: a step must be short against a third of both. */
const stepDays = 5;
const days = 365;

beforeAll(async () => {
  await using database = await createTestDatabase();
  const folder = await runFolder('a-year');
  const library = join(folder, 'moved-clock.so');
  requireDebianPackages('The compiler for a clock that can be moved', ['gcc', 'libc6-dev'], ['/usr/bin/gcc']);
  execFileSync('gcc', ['-shared', '-fPIC', '-O1', '-Wall', '-o', library, `${import.meta.dirname}/year/moved-clock.c`]);
  const clockFile = join(folder, 'clock');
  await writeFile(clockFile, Buffer.alloc(8));
  const masterKey = randomBytes(32).toString('base64');
  const program: YearProgram = { databaseUrl: database.url, masterKey, stateFolder: folder, clockFile, days, stepDays };
  const child = spawn(process.execPath, [`${import.meta.dirname}/year/program.ts`, JSON.stringify(program)], {
    env: { PATH: environment.PATH, ...runEnvironment(), LD_PRELOAD: library, MOVED_CLOCK: clockFile },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  year = JSON.parse(await text(child.stdout));
});

const distinct = (values: readonly string[]): number => new Set(values).size;

test('the certificate checks use the clock of this test', () => {
  expect(year.year).toBe(new Date(Date.now() + days * 86_400_000).getUTCFullYear());
});

test('an api process keeps its runners over a year: every new connection of it is answered', () => {
  expect(year.days.map(({ day, answer }) => [day, answer])).toEqual(year.days.map(({ day }) => [day, 200]));
  expect(year.days).toHaveLength(days / stepDays + 1);
});

test('a stream that is open is cut by no renewal', () => {
  expect(year.isStreamOpen).toBe(true);
});

test('the listener and the runner renew their certificates at two thirds of their life', () => {
  // Renewed every 60 and every 20 days, plus the certificates of the first day.
  expect(distinct(year.days.map(({ listener }) => listener))).toBe(Math.floor(days / 60) + 1);
  expect(distinct(year.days.map(({ runner }) => runner))).toBe(Math.floor(days / 20) + 1);
});

test('the days that are left of every certificate of the api are a metric', () => {
  const left = year.days.map(({ daysLeft }) => daysLeft);
  for (const [index, { 'node-listener': listener = 0, 'node-authority': authority = 0 }] of left.entries()) {
    expect(listener).toBeGreaterThan(30);
    expect(Math.round(authority)).toBe(3_650 - index * stepDays);
  }
});
