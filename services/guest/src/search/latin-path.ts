// Names are bytes, not text: inside the walk each byte is one character, so that names that are not UTF-8 can be opened
// too, and the order is that of the bytes.

const beyondAscii = /[^\0-\x7f]/;

export const toLatin = (text: string): string =>
  beyondAscii.test(text) ? Buffer.from(text, 'utf8').toString('latin1') : text;

export const fromLatin = (latin: string): string =>
  beyondAscii.test(latin) ? Buffer.from(latin, 'latin1').toString('utf8') : latin;

/** The path in the form that file system calls accept. */
export const openable = (latin: string): string | Buffer =>
  beyondAscii.test(latin) ? Buffer.from(latin, 'latin1') : latin;
