import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Command } from '../command.ts';
import { UsageError } from '../exit-codes.ts';
import { placeBelow } from '../place-below.ts';

export const init: Command = {
  name: 'init',
  about: 'Writes a template into a new folder; without a template, lists them',
  arguments: [
    { name: 'template', isOptional: true },
    { name: 'folder', isOptional: true },
  ],
  examples: ['berth init', 'berth init agent-http helper'],
  async run({ given, berth, printer }) {
    const [name, folder] = [given.optional('template'), given.optional('folder')];
    const api = await berth();
    if (name === undefined) {
      printer.list(await api.request('listTemplates'), [
        { title: 'name', of: (template) => template.name },
        { title: 'description', of: ({ description }) => description },
      ]);
      return;
    }
    const target = folder ?? name;
    if ((await readdir(target).catch(() => [])).length > 0)
      throw new UsageError(`The folder "${target}" is not empty. Name another one.`);
    const params = { templateName: name };
    const { variables = [] } = await api.request('getTemplate', { params });
    const { files } = await api.request('listTemplateFiles', { params });
    const places = files.map(({ path, content }) => ({ place: placeBelow(target, path), content }));
    for (const { place, content } of places) {
      await mkdir(dirname(place), { recursive: true });
      await writeFile(place, Buffer.from(content, 'base64'));
    }
    for (const { name: variable, description } of variables) printer.note(`${variable}: ${description}`);
    printer.note(`${target}/README.md tells how to run it.`);
    printer.one({ folder: target, files: files.length }, [
      { title: 'folder', of: (row) => row.folder },
      { title: 'files', of: (row) => row.files },
    ]);
  },
};
