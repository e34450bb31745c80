// The terminal page as one file: its libraries are inlined when the guest is built, so that it loads nothing and works
// in a sandbox without a network.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const guestFolder = resolve(import.meta.dirname, '../../services/guest');

export async function terminalPage(): Promise<string> {
  const { resolve: find } = createRequire(join(guestFolder, 'package.json'));
  const [page, style, terminal, fit] = await Promise.all(
    [
      join(guestFolder, 'src/terminal/page.html'),
      find('@xterm/xterm/css/xterm.css'),
      find('@xterm/xterm/lib/xterm.js'),
      find('@xterm/addon-fit/lib/addon-fit.js'),
    ].map((path) => readFile(path, 'utf8')),
  );
  const script = [terminal, fit].map((text) => (text ?? '').replace(/^\/\/# sourceMappingURL=.*$/m, '')).join(';\n');
  if (/<\/(script|style)/i.test(`${script}${style}`)) {
    throw new Error('A library of the terminal page would end its own element. Look at the new version of xterm.');
  }
  // Replacement functions, because `$&` in a library would be read as a replacement pattern.
  return (page ?? '').replace('/* xterm.css */', () => style ?? '').replace('/* xterm.js */', () => script);
}
