import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { programs, root } from '../.vitepress/sources.js';

/** A page for each example program, so that the cookbook's links lead to code that can be read on the site. */
export default {
  paths: () =>
    programs.map((path) => {
      const code = readFileSync(join(root, 'examples', path), 'utf8');
      return { params: { path }, content: `# ${path}\n\n\`\`\`${extname(path).slice(1)}\n${code.trimEnd()}\n\`\`\`\n` };
    }),
};
