/** What CI may do, and how a release is made: read from .github/workflows. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

interface Step {
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
}

interface Job {
  permissions?: Record<string, string>;
  'timeout-minutes'?: number;
  needs?: string;
  strategy?: { matrix: Record<string, unknown[]> };
  steps: Step[];
}

interface Workflow {
  on: Record<string, unknown>;
  permissions: Record<string, string>;
  jobs: Record<string, Job>;
}

const folder = fileURLToPath(new URL('../../.github/workflows/', import.meta.url));
const textOf = (name: string) => readFileSync(folder + name, 'utf8');
const workflow = (name: string): Workflow => parse(textOf(name), { strict: true });
const names = readdirSync(folder);
const ci = workflow('ci.yml');
const release = workflow('release.yml');
const scheduled = workflow('scheduled.yml');

it('there are these three', () => {
  expect(names.sort()).toEqual(['ci.yml', 'release.yml', 'scheduled.yml']);
});

describe.each(names)('%s', (name) => {
  const { jobs, on } = workflow(name);
  const steps = Object.values(jobs).flatMap((job) => job.steps);

  it('every step runs something, every job ends, and needs only jobs that there are', () => {
    for (const job of Object.values(jobs)) {
      expect(job['timeout-minutes']).toBeLessThanOrEqual(60);
      if (job.needs !== undefined) expect(Object.keys(jobs)).toContain(job.needs);
      for (const step of job.steps) expect([step.uses, step.run].filter((what) => what !== undefined)).toHaveLength(1);
    }
  });

  it('actions are pinned to the hash of a commit, with their release in a comment', () => {
    const used = textOf(name)
      .split('\n')
      .filter((line) => line.includes('uses:'));
    expect(used).toHaveLength(steps.filter(({ uses }) => uses !== undefined).length);
    for (const line of used) expect(line).toMatch(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it('no secret is stored for it, and no text of a stranger gets into a shell', () => {
    expect(textOf(name)).not.toContain('secrets.');
    for (const { run = '' } of steps) expect(run).not.toContain('${{');
    expect(Object.keys(on)).not.toContain('pull_request_target');
  });

  it('the scripts that it calls exist', () => {
    const { scripts } = JSON.parse(readFileSync(fileURLToPath(new URL('../../package.json', import.meta.url)), 'utf8'));
    const called = [...textOf(name).matchAll(/npm (?:run )?(test\S*|(?<=run )\S+)/g)].map(([, script]) => script);
    expect(called.length).toBeGreaterThan(0);
    expect(Object.keys({ ...scripts })).toEqual(expect.arrayContaining(called));
  });
});

describe('CI', () => {
  it('may read the repository; each job declares further permissions itself', () => {
    expect(ci.permissions).toEqual({ contents: 'read' });
    expect(release.permissions).toEqual({});
    expect(Object.values(ci.jobs).map(({ permissions }) => permissions)).toEqual(
      Object.keys(ci.jobs).map(() => undefined),
    );
    const checkouts = Object.values(ci.jobs).map(({ steps }) => steps[0]?.with);
    expect(checkouts).toEqual(Object.keys(ci.jobs).map(() => ({ 'persist-credentials': false })));
  });

  it('runs the suite on every Node that is supported', () => {
    expect(ci.jobs['test']?.strategy?.matrix).toEqual({ node: [20, 22, 24, 26] });
  });
});

describe('each week', () => {
  it('the signatures are checked, the known flaws are listed, and the newest majors run over the suite', () => {
    expect(Object.keys(scheduled.on)).toEqual(['schedule', 'workflow_dispatch']);
    expect(scheduled.permissions).toEqual({ contents: 'read' });
    expect(Object.values(scheduled.jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []))).toEqual([
      ...['npm ci --ignore-scripts', 'npm audit signatures', 'npm audit --audit', 'npm run test:newest', 'npm ci'],
      ...['npm run build', 'npm run test:package'],
    ]);
  });

  it('Dependabot proposes new versions of packages and actions, a week after they were published', () => {
    expect(parse(readFileSync(`${folder}../dependabot.yml`, 'utf8'), { strict: true }).updates).toMatchObject([
      { 'package-ecosystem': 'npm', schedule: { interval: 'weekly' }, cooldown: { 'default-days': 7 } },
      { 'package-ecosystem': 'github-actions', schedule: { interval: 'weekly' }, cooldown: { 'default-days': 7 } },
    ]);
  });
});

describe('a release', () => {
  it('the release is published with provenance, by a token that exists only for it and is not stored', () => {
    const { publish } = release.jobs;
    expect(publish?.permissions).toEqual({ 'id-token': 'write' });
    expect(publish?.steps.at(-1)?.run).toContain(
      'npm publish "./$TARBALL" --provenance --access public --ignore-scripts',
    );
  });

  it('the tarball is tested and packed in a job that cannot publish', () => {
    const { build } = release.jobs;
    expect(build?.permissions).toEqual({ contents: 'read' });
    expect(build?.steps[0]?.with).toEqual({ 'persist-credentials': false });
    expect(build?.steps.slice(2, 6).map(({ run }) => run)).toEqual([
      'node .ci/check-release.mjs',
      'npm ci',
      'npm test',
      'npm run test:full',
    ]);
    expect(build?.steps[6]?.run).toContain('npm pack --pack-destination tarball');
    expect(build?.steps[7]).toMatchObject({
      uses: expect.stringMatching(/^actions\/upload-artifact@/),
      with: { name: 'tarball', path: 'tarball' },
    });
  });

  it('has a bill of materials of the tarball', () => {
    expect(release.jobs['build']?.steps[8]?.run).toBe('node .ci/sbom.mjs tarball/*.tgz sbom.cdx.json');
    expect(release.jobs['build']?.steps[9]?.with).toMatchObject({ name: 'sbom', path: 'sbom.cdx.json' });
    expect(release.jobs['tag']?.steps[0]?.with).toEqual({ name: 'sbom' });
    expect(release.jobs['tag']?.steps[1]?.run).toContain('gh release create "v$VERSION" sbom.cdx.json');
  });

  it('the job with the identity token runs no code of the repository or of a dependency: it takes the tarball and publishes it', () => {
    const jobs = [...Object.entries(release.jobs), ...Object.entries(ci.jobs)];
    const trusted = jobs.filter(([, { permissions }]) => permissions?.['id-token'] !== undefined);
    expect(trusted.map(([name]) => name)).toEqual(['publish']);
    const { publish } = release.jobs;
    expect(publish?.needs).toBe('build');
    expect(publish?.steps.map(({ uses = '' }) => uses.replace(/@.*/, ''))).toEqual([
      'actions/setup-node',
      'actions/download-artifact',
      '',
    ]);
    const script = publish?.steps.at(-1)?.run ?? '';
    expect(script.match(/\b(?:npm|npx|node) \S+/g)).toEqual(['npm view', 'npm publish']);
  });

  it('a job that may change the repository runs no code of it or of a dependency, and cannot publish', () => {
    const jobs = Object.entries({ ...release.jobs, ...ci.jobs, ...scheduled.jobs });
    const writing = jobs.filter(([, { permissions }]) => Object.values(permissions ?? {}).includes('write'));
    expect(writing.map(([name, { permissions }]) => [name, permissions])).toEqual([
      ['propose', { contents: 'write', 'pull-requests': 'write' }],
      ['publish', { 'id-token': 'write' }],
      ['tag', { contents: 'write' }],
    ]);
    for (const [name, { steps }] of writing.filter(([name]) => name !== 'publish')) {
      const script = steps.map(({ run = '' }) => run).join('\n');
      expect(script).toMatch(/\b(?:git|gh) /);
      expect(script, name).not.toMatch(/\b(?:npm|npx|node|sh|bash|make|eval|source)\b|\.\//);
      const actions = steps.flatMap(({ uses = '' }) => uses.replace(/@.*/, ''));
      for (const action of actions) expect(['actions/checkout', 'actions/download-artifact', '']).toContain(action);
    }
  });

  it('the files of the next version are written by a job that may only read, and only these are taken from it', () => {
    const { version, propose } = release.jobs;
    expect(version?.permissions).toEqual({ contents: 'read' });
    expect(version?.steps[0]?.with).toEqual({ 'persist-credentials': false });
    expect(version?.steps.map(({ run }) => run).join()).toContain('npm run version-packages');
    const script = propose?.steps.at(-1)?.run ?? '';
    expect([...script.matchAll(/--include='?([^' ]+)/g)].map(([, path]) => path)).toEqual([
      ...['package.json', 'package-lock.json', 'CHANGELOG.md', 'src/version.ts', '.changeset/*.md'],
    ]);
    expect(script).not.toMatch(/git add|commit (?:-a|--all)/);
  });
});
