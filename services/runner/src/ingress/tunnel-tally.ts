import type { TunnelAnswer } from '@berth/contract';

type Answer = TunnelAnswer['tunnel'];

export interface TunnelReport {
  readonly tunnels: number;
  /** Since the report before. */
  readonly answers: Partial<Record<Answer, number>>;
}

/** Changes within so short a time are told together. */
const reportMs = 100;

/** What an ingress process tells the runner of its tunnels. */
export class TunnelTally {
  readonly #report: (report: TunnelReport) => void;
  #open = 0;
  #answers: Partial<Record<Answer, number>> = {};
  #timer: NodeJS.Timeout | undefined;

  constructor(report: (report: TunnelReport) => void) {
    this.#report = report;
  }

  get open(): number {
    return this.#open;
  }

  answer(answer: Answer): void {
    this.#answers[answer] = (this.#answers[answer] ?? 0) + 1;
    this.#change();
  }

  /** Returns what ends it. */
  begin(): () => void {
    this.#open += 1;
    this.#change();
    return () => {
      this.#open -= 1;
      this.#change();
    };
  }

  /** What has not been told yet. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const answers = this.#answers;
    this.#answers = {};
    this.#report({ tunnels: this.#open, answers });
  }

  #change(): void {
    this.#timer ??= setTimeout(() => this.flush(), reportMs);
  }
}
