/** `settingsPage`: the sandbox's settings, one for every question that the API specification does not answer. */
import type { DeclarationReflection, ProjectReflection } from 'typedoc';
import { SANDBOX_SETTINGS } from '../../src/sandbox/settings/settings-table.js';
import { summaryOf } from './doc-text.js';
import { code, literal, page, table } from './markdown.js';
import { declarationOf } from './options.js';

export interface DescribedSetting {
  name: string;
  /** Entry of the register, or a chapter of the document such as `Limits`. */
  settles: string;
  /** As TypeScript writes it. */
  byDefault: string;
  /** Values that it may have. */
  type: string;
  /** What it decides. */
  text: string;
}

/** Throws where a setting has no doc comment, or one of another entry: the comment begins with what it settles. */
export function describedSettings(project: ProjectReflection): DescribedSetting[] {
  const described = declarationOf(project, 'data-import-sdk/sandbox', 'SandboxSettings');
  return SANDBOX_SETTINGS.map(({ name, settles, default: byDefault }) => {
    const child: DeclarationReflection | undefined = described.children?.find((one) => one.name === name);
    const said = child === undefined ? '' : summaryOf(child);
    if (child === undefined || !said.startsWith(`${settles}: `)) {
      throw new Error(`SandboxSettings.${name}: its doc comment must begin with \`${settles}: \`.`);
    }
    const text = said.slice(settles.length + 2);
    return { name, settles, byDefault: literal(byDefault), type: String(child.type ?? ''), text };
  });
}

export function settingsPage(settings: readonly DescribedSetting[]): string {
  return page(
    'Settings of the sandbox',
    '`createSandbox({ settings: { accountNotFound: 404 } })`, or `data-import-sdk sandbox --set accountNotFound=404`. The questions U1 to U32, and how the client handles each, are in [docs/unspecified-behaviour.md](../unspecified-behaviour.md).',
    table({
      heads: ['setting', 'settles', 'default', 'values', 'meaning'],
      rows: settings.map(({ name, settles, byDefault, type, text }) => [
        code(name),
        settles,
        code(byDefault),
        code(type),
        text,
      ]),
    }),
  );
}
