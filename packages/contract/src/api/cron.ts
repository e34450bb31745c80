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
  return { minutes, hours, daysOfMonth, months: inMonths, daysOfWeek };
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
