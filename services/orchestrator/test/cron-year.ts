// A year in the life of a scheduled job, made from a seed: what happens to the job and to the orchestrator, and which
// ticks have to fire. The expectation lists the minutes of the calendar and does not use the code under test.
import { readCron } from '@berth/contract';

export const yearStart = Date.UTC(2028, 0, 1);
export const yearEnd = Date.UTC(2029, 0, 1);
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** Some 300 ticks in a leap year. */
const schedules: Readonly<Record<string, string>> = {
  often: '30 4 */2 * *',
  weekly: '0 9 * * mon',
  monthly: '15 0 1 * *',
  leap: '0 0 29 2 *',
  halves: '59 23 1,15 * *',
  weekend: '0 18 * * 7',
};

export interface YearState {
  readonly schedules: Readonly<Record<string, string>>;
  /** Numbers of reasons, because periods overlap. */
  readonly jobDisabled: number;
  readonly triggerDisabled: Readonly<Record<string, number>>;
  readonly down: number;
  readonly memory: number;
  readonly isDeleted: boolean;
}

export interface YearEvent {
  readonly at: number;
  readonly change: (state: YearState) => YearState;
}

export const firstState: YearState = {
  ...{ schedules, jobDisabled: 0, triggerDisabled: {}, down: 0, memory: 128, isDeleted: false },
};

/** Seconds within a minute: ticks are handled before 20, so that the order of a tick and an event is always known. */
const second = { downFrom: 20_000, write: 30_000, upAgain: 40_000 };

export function yearEvents(random: () => number): YearEvent[] {
  type Step = (by: number) => YearEvent['change'];
  const moment = (offsetMs: number) => yearStart + Math.floor(random() * 350 * 24 * 60) * minuteMs + offsetMs;
  const period = (offsets: readonly [number, number], maxDays: number, step: Step): YearEvent[] => {
    const at = moment(offsets[0]);
    const end = at - offsets[0] + offsets[1] + Math.ceil(random() * maxDays * 24 * 60) * minuteMs;
    return [
      { at, change: step(1) },
      { at: end, change: step(-1) },
    ];
  };
  const ids = Object.keys(schedules);
  const repeat = <Made>(count: number, make: () => Made) => Array.from({ length: count }, make);
  return [
    ...repeat(4, () =>
      period([second.downFrom, second.upAgain], 12, (by) => (state) => ({ ...state, down: state.down + by })),
    ).flat(),
    ...repeat(3, () =>
      period([second.write, second.write], 15, (by) => (state) => ({ ...state, jobDisabled: state.jobDisabled + by })),
    ).flat(),
    ...repeat(6, () => {
      const id = ids[Math.floor(random() * ids.length)] ?? '';
      return period([second.write, second.write], 30, (by) => (state) => ({
        ...state,
        triggerDisabled: { ...state.triggerDisabled, [id]: (state.triggerDisabled[id] ?? 0) + by },
      }));
    }).flat(),
    ...repeat(5, () => ({
      at: moment(second.write),
      change: (state: YearState) => ({ ...state, memory: state.memory + 1 }),
    })),
    {
      at: yearStart + 180 * dayMs + second.write,
      change: (state: YearState) => ({ ...state, schedules: { ...state.schedules, weekly: '20 11 * * thu' } }),
    },
    { at: yearEnd - 8 * dayMs + second.write, change: (state: YearState) => ({ ...state, isDeleted: true }) },
  ].toSorted((left, right) => left.at - right.at);
}

export const jobSpec = ({ schedules: current, jobDisabled, triggerDisabled, memory }: YearState) => ({
  enabled: jobDisabled === 0,
  runtime: { image: 'example/job:1', memory },
  triggers: Object.entries(current).map(([id, schedule]) => ({
    id,
    type: 'cron',
    enabled: (triggerDisabled[id] ?? 0) === 0,
    configuration: { schedule },
  })),
});

/** The schedule of a trigger that may fire now. */
const activeSchedule = (state: YearState, id: string): string | undefined =>
  state.isDeleted || state.jobDisabled > 0 || (state.triggerDisabled[id] ?? 0) > 0 ? undefined : state.schedules[id];

/** Message ids of all executions that the year has to start, sorted. */
export function expectedTicks(events: readonly YearEvent[]): string[] {
  const expected: string[] = [];
  const missed = new Map<string, string>();
  const waiting = [...events];
  let state = firstState;
  const take = ({ change }: YearEvent): void => {
    const before = state;
    state = change(state);
    for (const id of missed.keys()) if (activeSchedule(before, id) !== activeSchedule(state, id)) missed.delete(id);
    if (state.down > 0) return;
    expected.push(...missed.values());
    missed.clear();
  };
  for (const { at, id, schedule } of possibleTicks(events)) {
    while ((waiting[0]?.at ?? yearEnd) < at) for (const event of waiting.splice(0, 1)) take(event);
    if (activeSchedule(state, id) !== schedule) continue;
    const tick = `cron:${id}:${new Date(at).toISOString().slice(0, 16)}Z`;
    if (state.down > 0) missed.set(id, tick);
    else expected.push(tick);
  }
  for (const event of waiting) take(event);
  return expected.toSorted();
}

interface PossibleTick {
  readonly at: number;
  readonly id: string;
  readonly schedule: string;
}

/** Ticks of every schedule that a trigger ever has, in order. */
function possibleTicks(events: readonly YearEvent[]): PossibleTick[] {
  let state = firstState;
  const states = events.map(({ change }) => {
    state = change(state);
    return state;
  });
  const pairs = [firstState, ...states].flatMap((state) =>
    Object.entries(state.schedules).map((pair) => pair.join('\n')),
  );
  return [...new Set(pairs)]
    .flatMap((pair) => {
      const [id = '', schedule = ''] = pair.split('\n');
      return minutesOf(schedule).map((at) => ({ at, id, schedule }));
    })
    .toSorted((left, right) => left.at - right.at);
}

/** Minutes of the year after its first that the schedule allows. */
function minutesOf(text: string): number[] {
  const read = readCron(text);
  if ('reason' in read) throw new Error(read.reason);
  const { minutes, hours, daysOfMonth, months, daysOfWeek } = read.schedule;
  const days = Array.from({ length: 366 }, (_, day) => new Date(yearStart + day * dayMs)).filter(
    (day) =>
      daysOfMonth.includes(day.getUTCDate()) &&
      months.includes(day.getUTCMonth() + 1) &&
      daysOfWeek.includes(day.getUTCDay()),
  );
  const times = hours.flatMap((hour) => minutes.map((minute) => (hour * 60 + minute) * minuteMs));
  return days.flatMap((day) => times.map((time) => day.getTime() + time)).filter((at) => at > yearStart);
}
