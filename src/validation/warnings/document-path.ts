/**
 * Whether a document path can resolve at all: the service puts bucket and root before it, and nothing between
 * (document: Conventions).
 */
export function isDocumentPath(path: string): boolean {
  return path.trim() !== '' && !/^[a-z][\w+.-]*:\/\/|^[a-z]:|\\/i.test(path) && !path.split('/').includes('..');
}
