// Paths of files in addresses of the API inside a sandbox. `/x` is absolute, `x` is relative to the working directory, `~/x` is in
// the home folder.

/** Part of an address, with the slash before it. */
export function filePath(path: string): string {
  if (path.startsWith('/')) return `/${encodeURIComponent(path)}`;
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  // A dot segment would be resolved before it is sent, against the address instead of the folder.
  if (parts.includes('..')) throw new Error(`"${path}" leaves its folder. Give the whole path, from / on.`);
  return `/${parts.map(encodeURIComponent).join('/')}`;
}

/** The routes of whole folders take absolute paths alone. */
export function treePath(path: string): string {
  if (path.startsWith('/')) return `/${encodeURIComponent(path.replace(/^\/+/, ''))}`;
  throw new Error(`"${path}" is not absolute. Give the whole path, from / on.`);
}
