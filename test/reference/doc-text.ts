/** What a doc comment says, as text for a cell of a table. */
import type { Comment, DeclarationReflection } from 'typedoc';

/** The text without its block tags. */
export function summaryOf({ comment }: DeclarationReflection): string {
  return textOf(comment?.summary ?? []);
}

/** What stands behind `@default`; empty where there is none. */
export function defaultOf({ comment }: DeclarationReflection): string {
  const tag = comment?.blockTags.find((block) => block.tag === '@default');
  // TypeDoc takes it for code.
  return textOf(tag?.content ?? []).replace(/^```ts (.*) ```$/, '$1');
}

function textOf(parts: Comment['summary']): string {
  return parts
    .map(({ text }) => text)
    .join('')
    .replaceAll('\n', ' ')
    .trim();
}
