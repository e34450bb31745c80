/** A message for the operator: what is wrong, and the command that fixes it. Shown without a stack. */
export class Fault extends Error {
  readonly fix: string;

  constructor(what: string, fix: string, options?: ErrorOptions) {
    super(what, options);
    this.fix = fix;
  }

  get text(): string {
    const cause = this.cause instanceof Error ? `\n  ${this.cause.message.trim().replaceAll('\n', '\n  ')}` : '';
    return `${this.message}${cause}\nFIX: ${this.fix}`;
  }
}
