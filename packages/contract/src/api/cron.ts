// Cron schedules of triggers: five fields, minutes, UTC. Control-plane sheet 4.7.

interface Field {
  readonly name: 'minute' | 'hour' | 'day-of-month' | 'month' | 'day-of-week';
  readonly min: number;
  readonly max: number;
  /** Names stand for the numbers from `min` on. */
  readonly names: readonly string[];
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const fields: readonly Field[] = [
  { name: 'minute', min: 0, max: 59, names: [] },
  { name: 'hour', min: 0, max: 23, names: [] },
  { name: 'day-of-month', min: 1, max: 31, names: [] },
  { name: 'month', min: 1, max: 12, names: months },
  { name: 'day-of-week', min: 0, max: 7, names: weekdays },
];

/** Allowed values of each part of a time; days of the week count from Sunday as 0. */
export interface CronSchedule {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly daysOfMonth: readonly number[];
  readonly months: readonly number[];
  readonly daysOfWeek: readonly number[];
}

export type CronAnswer = { readonly schedule: CronSchedule } | { readonly reason: string };

class CronProblem extends Error {}

function numberIn(field: Field, text: string): number {
  const named = field.names.indexOf(text.toLowerCase());
  if (named >= 0) return field.min + named;
  if (!/^\d{1,2}$/.test(text)) throw new CronProblem(`${field.name}: ${JSON.stringify(text)} is not a value`);
  const value = Number(text);
  if (value < field.min || value > field.max) {
    throw new CronProblem(`${field.name}: ${value} is not between ${field.min} and ${field.max}`);
  }
  return value;
}

function boundsIn(field: Field, text: string, stepped: boolean): { from: number; to: number } {
  if (text === '*') return { from: field.min, to: field.max };
  const [first = '', last, ...more] = text.split('-');
  if (more.length > 0) throw new CronProblem(`${field.name}: ${JSON.stringify(text)} is not a range`);
  const from = numberIn(field, first);
  // `5/15` runs from 5 to the end of the field, as most cron programs read it.
  if (last === undefined) return { from, to: stepped ? field.max : from };
  const to = numberIn(field, last);
  if (to < from) throw new CronProblem(`${field.name}: the range ${text} is inverted`);
  return { from, to };
}

function stepIn(field: Field, text: string | undefined): number {
  if (text === undefined) return 1;
  if (!/^\d{1,3}$/.test(text)) throw new CronProblem(`${field.name}: ${JSON.stringify(text)} is not a step`);
  if (Number(text) === 0) throw new CronProblem(`${field.name}: a step of 0 never advances`);
  return Number(text);
}

function valuesOfPart(field: Field, part: string): number[] {
  const [range = '', step, ...more] = part.split('/');
  if (more.length > 0) throw new CronProblem(`${field.name}: ${JSON.stringify(part)} has more than one step`);
  const width = stepIn(field, step);
  const { from, to } = boundsIn(field, range, step !== undefined);
  return Array.from({ length: Math.floor((to - from) / width) + 1 }, (_, index) => from + index * width);
}

function valuesOf(field: Field, text: string): number[] {
  const values = text.split(',').flatMap((part) => valuesOfPart(field, part));
  // Sunday is 0 and 7.
  const normal = field.name === 'day-of-week' ? values.map((value) => value % 7) : values;
  return [...new Set(normal)].sort((a, b) => a - b);
}

function read(text: string): CronSchedule {
  const texts = text.trim().split(/\s+/);
  if (texts.length !== fields.length || texts[0] === '') {
    throw new CronProblem(`expected 5 fields (${fields.map(({ name }) => name).join(', ')})`);
  }
  const [minutes = [], hours = [], daysOfMonth = [], inMonths = [], daysOfWeek = []] = fields.map((field, index) =>
    valuesOf(field, texts[index] ?? ''),
  );
  if (daysOfMonth.length < 31 && daysOfWeek.length < 7) {
    throw new CronProblem('day-of-month and day-of-week: only one of them may be restricted; write * for the other');
  }
  const schedule = { minutes, hours, daysOfMonth, months: inMonths, daysOfWeek };
  // Only a date that no year has can do this, because every month has every day of the week.
  if (nextTick(schedule, 0) === undefined) {
    throw new CronProblem('day-of-month and month: no year has such a date, so the schedule never fires');
  }
  return schedule;
}

/** Parses a schedule, or returns which field is wrong and why. */
export function readCron(text: string): CronAnswer {
  try {
    return { schedule: read(text) };
  } catch (problem) {
    if (problem instanceof CronProblem) return { reason: problem.message };
    throw problem;
  }
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** Longer than the eight years between two 29 February around a year such as 2100. */
const maxYears = 28;

/**
 * The first minute after `afterMs` that the schedule allows, in UTC. Undefined when there is none within 28 years. A
 * tick has to match both day fields; `readCron` lets only one of them be restricted.
 */
export function nextTick(schedule: CronSchedule, afterMs: number): number | undefined {
  const earliestMs = (Math.floor(afterMs / minuteMs) + 1) * minuteMs;
  const start = new Date(earliestMs);
  const firstMonth = start.getUTCFullYear() * 12 + start.getUTCMonth();
  for (let month = firstMonth; month <= firstMonth + maxYears * 12; month += 1) {
    const tick = tickInMonth(schedule, Math.floor(month / 12), month % 12, earliestMs);
    if (tick !== undefined) return tick;
  }
  return undefined;
}

/** Months count from 0 here, as in `Date`. */
function tickInMonth(schedule: CronSchedule, year: number, month: number, earliestMs: number): number | undefined {
  if (!schedule.months.includes(month + 1)) return undefined;
  for (const dayOfMonth of schedule.daysOfMonth) {
    const day = new Date(Date.UTC(year, month, dayOfMonth));
    // A day that the month does not have becomes one of the next month, and so do all days after it.
    if (day.getUTCMonth() !== month) return undefined;
    if (day.getTime() + dayMs <= earliestMs || !schedule.daysOfWeek.includes(day.getUTCDay())) continue;
    const tick = tickInDay(schedule, day.getTime(), earliestMs);
    if (tick !== undefined) return tick;
  }
  return undefined;
}

function tickInDay({ hours, minutes }: CronSchedule, midnightMs: number, earliestMs: number): number | undefined {
  for (const hour of hours) {
    const hourStartMs = midnightMs + hour * hourMs;
    if (hourStartMs + hourMs <= earliestMs) continue;
    const minute = minutes.find((each) => hourStartMs + each * minuteMs >= earliestMs);
    if (minute !== undefined) return hourStartMs + minute * minuteMs;
  }
  return undefined;
}
