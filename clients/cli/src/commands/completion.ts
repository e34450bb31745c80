import type { Command } from '../command.ts';
import { UsageError } from '../exit-codes.ts';
import { sharedOptions } from '../parse.ts';

/** Needs the list of commands, of which it is one. */
export const completionOf = (commands: () => readonly Command[]): Command => ({
  name: 'completion',
  about: 'Prints the completion of words for bash or zsh',
  arguments: [{ name: 'shell' }],
  examples: ['source <(berth completion bash)'],
  async run({ given, printer }) {
    const shell = given.argument('shell');
    if (shell !== 'bash' && shell !== 'zsh') throw new UsageError(`"${shell}" is not known. Known are bash and zsh.`);
    printer.raw(script(commands(), shell));
  },
});

function script(commands: readonly Command[], shell: 'bash' | 'zsh'): string {
  const names = commands.map(({ name }) => name).join(' ');
  const cases = commands.map(({ name, options = {} }) => {
    const words = Object.keys({ ...options, ...sharedOptions }).map((option) => `--${option}`);
    return `    ${name}) words="${words.join(' ')}" ;;`;
  });
  return [
    ...(shell === 'zsh' ? ['autoload -U +X bashcompinit && bashcompinit'] : []),
    '_berth() {',
    '  local words',
    `  if [ "$COMP_CWORD" -eq 1 ]; then words="${names}"; else case "\${COMP_WORDS[1]}" in`,
    ...cases,
    '  esac; fi',
    `  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))`,
    '}',
    'complete -o default -F _berth berth\n',
  ].join('\n');
}
