import type { TunnelAnswer } from '@berth/contract/node';

type Answer = TunnelAnswer['tunnel'];

export interface TunnelReport {
  readonly tunnels: number;
  /** Answers since the previous report. */
  readonly answers: Partial<Record<Answer, number>>;
}

/** Changes within this time are reported together. */
const reportMs = 100;

/** Counts the tunnels of an ingress process and reports the counts to the runner. */
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

  /** Counts a tunnel as open; the returned function counts it as ended. */
  begin(): () => void {
    this.#open += 1;
    this.#change();
    return () => {
      this.#open -= 1;
      this.#change();
    };
  }

  /** Reports the pending counts now. */
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
