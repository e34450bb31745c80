import { posix } from 'node:path';

const contentTypes: Readonly<Record<string, string>> = {
  '.txt': 'text/plain',
  '.log': 'text/plain',
  '.html': 'text/html',
  '.htm': 'text/html',
  '.css': 'text/css',
  '.js': 'application/javascript',
  '.json': 'application/json',
  '.xml': 'application/xml',
  '.pdf': 'application/pdf',
  '.zip': 'application/zip',
  '.tar': 'application/x-tar',
  '.gz': 'application/gzip',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.png': 'image/png',
  '.gif': 'image/gif',
  '.svg': 'image/svg+xml',
};

export function contentTypeOf(path: string): string {
  return contentTypes[posix.extname(path).toLowerCase()] ?? 'application/octet-stream';
}

/** The plain form works for every client; the second (RFC 6266) is added when the name has other characters. */
export function attachmentNamed(name: string): string {
  const plain = name.replaceAll(/[^ -~]|["\\%]/g, '_');
  const value = `attachment; filename="${plain}"`;
  return plain === name ? value : `${value}; filename*=UTF-8''${encodeExtended(name)}`;
}

function encodeExtended(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
