// The terminal page as one file: its libraries are inlined when the guest is built, so that it loads nothing and works
// in a sandbox without a network.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const guestFolder = resolve(import.meta.dirname, '../../services/guest');

export interface TerminalPage {
  readonly html: string;
  /** Paths of the libraries in it. */
  readonly modules: readonly string[];
}

export async function terminalPage(): Promise<TerminalPage> {
  const { resolve: find } = createRequire(join(guestFolder, 'package.json'));
  const names = ['@xterm/xterm/css/xterm.css', '@xterm/xterm/lib/xterm.js', '@xterm/addon-fit/lib/addon-fit.js'];
  const modules = names.map((name) => find(name));
  const files = [join(guestFolder, 'src/terminal/page.html'), ...modules];
  const [page = '', style = '', terminal = '', fit = ''] = await Promise.all(
    files.map((path) => readFile(path, 'utf8')),
  );
  const script = [terminal, fit].map((text) => text.replace(/^\/\/# sourceMappingURL=.*$/m, '')).join(';\n');
  if (/<\/(script|style)/i.test(`${script}${style}`)) {
    throw new Error('A library of the terminal page would end its own element. Look at the new version of xterm.');
  }
  // Replacement functions, because `$&` in a library would be read as a replacement pattern.
  const html = page.replace('/* xterm.css */', () => style).replace('/* xterm.js */', () => script);
  return { html, modules };
}
