// Names are bytes, not text: inside the walk each byte is one character, so that names that are not UTF-8 can be opened
// too, and the order is that of the bytes.

const BEYOND_ASCII = /[^\0-\x7f]/;

export const toLatin = (text: string): string =>
  BEYOND_ASCII.test(text) ? Buffer.from(text, 'utf8').toString('latin1') : text;

export const fromLatin = (latin: string): string =>
  BEYOND_ASCII.test(latin) ? Buffer.from(latin, 'latin1').toString('utf8') : latin;

/** The path in the form that file system calls accept. */
export const openable = (latin: string): string | Buffer =>
  BEYOND_ASCII.test(latin) ? Buffer.from(latin, 'latin1') : latin;
