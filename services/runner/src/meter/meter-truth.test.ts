// Random lives of an instance and of its runner, against a model that knows when the instance was really awake.
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MeterMachine, type MeterProcess, UsageStore } from '../../test/test-meter.ts';

type Event =
  | { readonly do: 'start' | 'notice' | 'miss' | 'look' | 'exit' | 'reboot' | 'change memory' }
  | { readonly do: 'pass' | 'thaw' | 'kill' | 'stop' | 'jump'; readonly ms: number }
  | {
      readonly do: 'freeze';
      readonly ms: number;
      readonly outcome: 'frozen' | 'failed awake' | 'failed frozen' | 'killed';
    }
  | { readonly do: 'send'; readonly isAcknowledged: boolean };

const instance = randomUUID();
const sizesMb = [256, 512] as const;

class Life implements Disposable {
  readonly machine = new MeterMachine();
  readonly store = new UsageStore();
  readonly truthMs = new Map<number, number>();
  runner: MeterProcess;
  /** Nothing happened that may cost the operator a part of the usage. */
  isExact = true;
  readonly #isSandbox: boolean;
  #run: { readonly pid: number; readonly run: string } | undefined;
  #hasExited = true;
  #exitSystemMs = 0;
  #isFrozen = false;
  /** What this process of the runner believes. */
  #known: 'awake' | 'frozen' | 'unsure' | 'ended' = 'ended';
  #memoryMb: number = sizesMb[0];
  #lastPid = 0;

  constructor(isSandbox: boolean) {
    this.#isSandbox = isSandbox;
    this.runner = this.machine.start();
    this.runner.meter.setClock(this.machine.nowMs);
    this.#start();
  }

  do(event: Event): void {
    // What a killed process had left for later is lost.
    if (event.do !== 'kill' && event.do !== 'reboot') this.runner.settle();
    if (event.do === 'pass') this.#pass(event.ms);
    if (event.do === 'start') this.#start();
    if (event.do === 'exit') this.#exit();
    if (event.do === 'notice' && this.#hasExited) this.#notice();
    if (event.do === 'miss' && this.#hasExited) this.#miss();
    if (event.do === 'look' && this.#known === 'unsure') this.#look();
    if (event.do === 'freeze') this.#freeze(event);
    if (event.do === 'thaw') this.#thaw(event.ms);
    if (event.do === 'change memory') this.#change();
    if (event.do === 'send') this.#send(event.isAcknowledged);
    if (event.do === 'jump') this.#jump(event.ms);
    if (event.do === 'kill') this.#kill(event.ms);
    if (event.do === 'stop') this.#stop(event.ms);
    if (event.do === 'reboot') this.#reboot();
  }

  get #isAwake(): boolean {
    return !this.#hasExited && !this.#isFrozen;
  }

  get #metered() {
    return { ...(this.#run ?? { pid: 0, run: '' }), memoryMb: this.#memoryMb };
  }

  #count(ms: number): void {
    if (this.#isAwake) this.truthMs.set(this.#memoryMb, (this.truthMs.get(this.#memoryMb) ?? 0) + ms);
  }

  #pass(ms: number): void {
    this.#count(ms);
    this.runner.pass(ms);
  }

  #start(): void {
    if (this.#known !== 'ended') return;
    this.#lastPid += 1;
    this.#run = { pid: this.#lastPid, run: `container ${this.#lastPid}` };
    this.#hasExited = false;
    this.#isFrozen = false;
    this.#known = 'awake';
    this.runner.meter.begin(instance, { ...this.#metered, continues: true });
  }

  #exit(): void {
    if (this.#run === undefined || this.#hasExited) return;
    this.#hasExited = true;
    this.#exitSystemMs = this.machine.systemMs;
    this.machine.deadPids.add(this.#run.pid);
  }

  #notice(): void {
    const { meter } = this.runner;
    this.#known = 'ended';
    meter.end(instance, meter.timeAt(this.#exitSystemMs), this.#isSandbox ? undefined : this.#run?.run);
  }

  /** The container is gone, and with it the time of its end. */
  #miss(): void {
    if (this.#known !== 'ended') this.isExact = false;
    this.#known = 'ended';
    this.runner.meter.end(instance);
  }

  #look(): void {
    this.#known = this.#isFrozen ? 'frozen' : 'awake';
    if (this.#hasExited) this.#notice();
    else if (this.#isFrozen) this.runner.meter.end(instance);
    else this.runner.meter.begin(instance, { ...this.#metered, continues: true });
  }

  #freeze({ ms, outcome }: Extract<Event, { do: 'freeze' }>): void {
    if (!this.#isSandbox || this.#known !== 'awake' || this.#hasExited) return;
    this.runner.meter.hold(instance);
    this.#isFrozen = outcome !== 'failed awake';
    this.#pass(ms);
    this.#known = outcome === 'frozen' ? 'frozen' : 'unsure';
    if (outcome !== 'frozen') this.isExact = false;
    if (outcome === 'frozen') this.runner.meter.end(instance);
    else if (outcome === 'killed') this.#kill(ms);
  }

  /** The sandbox counts as awake only once the thaw is over. */
  #thaw(ms: number): void {
    if (!this.#isSandbox || this.#known === 'awake' || this.#known === 'ended') return;
    this.#pass(ms);
    this.#isFrozen = false;
    if (this.#hasExited) return;
    this.#known = 'awake';
    this.runner.meter.begin(instance, this.#metered);
  }

  #change(): void {
    this.#memoryMb = this.#memoryMb === sizesMb[0] ? sizesMb[1] : sizesMb[0];
    this.runner.meter.change(instance, this.#memoryMb);
  }

  #send(isAcknowledged: boolean): void {
    const { meter } = this.runner;
    meter.mark();
    const batch = meter.nextBatch(true);
    this.store.take(batch);
    if (isAcknowledged) meter.acknowledge(batch);
  }

  #jump(ms: number): void {
    if (ms !== 0) this.isExact = false;
    this.machine.epochMs += ms;
    this.runner.meter.setClock(this.machine.nowMs);
  }

  #kill(ms: number): void {
    this.isExact = false;
    this.runner.kill();
    this.#next(ms);
  }

  #stop(ms: number): void {
    this.runner.meter.close();
    this.#next(ms);
  }

  #next(ms: number): void {
    this.#count(ms);
    this.machine.sleep(ms);
    this.runner = this.machine.start();
    if (this.#known !== 'ended') this.#known = 'unsure';
  }

  /** The engine stamps the end of its containers when it starts again, long after it. */
  #reboot(): void {
    this.isExact = false;
    this.runner.kill();
    this.#exit();
    this.machine.sleep(60_000);
    this.machine.reboot();
    this.#exitSystemMs = this.machine.systemMs;
    this.runner = this.machine.start();
    if (this.#known !== 'ended') this.#known = 'unsure';
  }

  [Symbol.dispose](): void {
    this.runner.meter.close();
    this.machine[Symbol.dispose]();
  }
}

const spanMs = fc.oneof({ weight: 4, arbitrary: fc.nat({ max: 20_000 }) }, fc.nat({ max: 5_000_000 }));
const shortMs = fc.nat({ max: 7_000 });
const ordinary: readonly fc.WeightedArbitrary<Event>[] = [
  { weight: 8, arbitrary: fc.record({ do: fc.constant('pass'), ms: spanMs }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('start') }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('change memory') }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('thaw'), ms: shortMs }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('send'), isAcknowledged: fc.boolean() }) },
];
const freeze = (outcomes: Extract<Event, { do: 'freeze' }>['outcome'][]) =>
  fc.record({ do: fc.constant('freeze'), ms: shortMs, outcome: fc.constantFrom(...outcomes) });
const event: fc.Arbitrary<Event> = fc.oneof(
  ...ordinary,
  { weight: 8, arbitrary: freeze(['frozen', 'failed awake', 'failed frozen', 'killed']) },
  { weight: 9, arbitrary: fc.record({ do: fc.constantFrom('look', 'look', 'notice', 'notice', 'miss') }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('exit', 'exit', 'exit', 'reboot') }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('kill', 'stop'), ms: spanMs }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('jump'), ms: fc.integer({ min: -30_000, max: 30_000 }) }) },
);
const calmEvent: fc.Arbitrary<Event> = fc.oneof(...ordinary, { weight: 4, arbitrary: freeze(['frozen']) });

/** Sums of what the api was told, by memory. */
function toldMs(store: UsageStore): Map<number, number> {
  const sums = new Map<number, number>();
  for (const { memoryMb, lastedMs } of store.of(instance)) sums.set(memoryMb, (sums.get(memoryMb) ?? 0) + lastedMs);
  return sums;
}

/** The journal does not know the first change, and after the second one the memory is what the journal says. */
const changedTwiceAroundAKill: Event[] = [
  { do: 'change memory' },
  { do: 'kill', ms: 1 },
  { do: 'change memory' },
  { do: 'look' },
];

/** The process is killed before it has noted that a freeze, which it took for failed, was followed by a thaw. */
const killedAfterAThaw: Event[] = [
  { do: 'freeze', ms: 0, outcome: 'failed frozen' },
  { do: 'thaw', ms: 1 },
  { do: 'kill', ms: 0 },
  { do: 'look' },
];

test('the reported time never exceeds the true time, and the intervals of an instance never overlap', () => {
  fc.assert(
    fc.property(fc.boolean(), fc.array(event, { maxLength: 40 }), (isSandbox, events) => {
      using life = new Life(isSandbox);
      for (const each of events) {
        life.do(each);
        const told = toldMs(life.store);
        for (const sizeMb of sizesMb)
          expect(told.get(sizeMb) ?? 0, JSON.stringify(each)).toBeLessThanOrEqual(life.truthMs.get(sizeMb) ?? 0);
      }
      life.store.drain(life.runner);
      life.store.checkOverlaps();
      const told = toldMs(life.store);
      for (const sizeMb of sizesMb) expect(told.get(sizeMb) ?? 0).toBeLessThanOrEqual(life.truthMs.get(sizeMb) ?? 0);
    }),
    {
      numRuns: 300,
      examples: [
        [false, changedTwiceAroundAKill],
        [true, killedAfterAThaw],
        [true, killedAfterAThaw.toSpliced(1, 0, { do: 'change memory' })],
      ],
    },
  );
});

test('while nothing fails, the reported time is the true time', () => {
  fc.assert(
    fc.property(fc.boolean(), fc.array(calmEvent, { maxLength: 40 }), (isSandbox, events) => {
      using life = new Life(isSandbox);
      for (const each of events) life.do(each);
      expect(life.isExact).toBe(true);
      life.store.drain(life.runner);
      life.store.checkOverlaps();
      const told = toldMs(life.store);
      for (const sizeMb of sizesMb) expect(told.get(sizeMb) ?? 0).toBe(life.truthMs.get(sizeMb) ?? 0);
    }),
    { numRuns: 150 },
  );
});
