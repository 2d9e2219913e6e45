/** examples/distributed: what it shows is what the commands take, it drains in time, and no secret stands in it. */
import { readdirSync, readFileSync } from 'node:fs';
import { Command, type CommanderError } from 'commander';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { allCommands, commandsFor, INERT_CONTEXT } from '../../src/cli/commands.js';

const folder = new URL('../../examples/distributed/', import.meta.url);
const textOf = (name: string) => readFileSync(new URL(name, folder), 'utf8');

const manifests = parseAllDocuments(textOf('kubernetes.yaml')).map((document) => {
  expect(document.errors).toEqual([]);
  return document.toJS();
});
function kubernetes(kind: string) {
  const found = manifests.filter((manifest) => manifest.kind === kind);
  expect(found, kind).toHaveLength(1);
  return found[0].spec;
}
const pods = [kubernetes('Job').template, kubernetes('Deployment').template];
for (const { spec } of pods) expect(spec.containers).toHaveLength(1);
const [job, worker] = pods.map(({ spec }) => spec.containers[0]);
const { services, networks, secrets } = parse(textOf('compose.yaml'), { merge: true, strict: true });

/** One process of the distributed run: its environment variables have the value that the file has, if any. */
type Process = [where: string, args: string[], environment: Record<string, string | undefined>, graceSeconds: number];

const processes: Process[] = [
  ...['coordinator', 'worker'].map((name): Process => {
    const { command, environment, stop_grace_period: grace = '10s' } = services[name];
    expect(grace).toMatch(/^\d+s$/);
    return [`${name} of compose.yaml`, command, environment, Number.parseInt(grace, 10)];
  }),
  ...pods.map(({ spec }, index): Process => {
    const [{ args, env }] = spec.containers;
    const environment = env.map((one: { name: string; value?: string }) => [one.name, one.value]);
    const where = `${index === 0 ? 'coordinator' : 'worker'} of kubernetes.yaml`;
    return [where, args, Object.fromEntries(environment), spec.terminationGracePeriodSeconds];
  }),
];

describe.each(processes)('%s', (_, args, environment, graceSeconds) => {
  test('has a command line that the command takes', async () => {
    expect(await complaintAbout(args)).toBe('');
  });

  test('has an environment that the command knows', async () => {
    const command = (await commandsFor(args, INERT_CONTEXT)).find(({ options }) => options.length > 0);
    const known = [...(command?.options.map(({ envVar }) => envVar) ?? []), 'DATA_IMPORT_TOKEN'];
    expect(Object.keys(environment).filter((name) => !known.includes(name))).toEqual([]);
  });

  test('has all the settings that it needs', async () => {
    const settings = [...args, ...Object.keys(environment)].join('\n');
    // The file of --config names the database.
    expect(settings).toMatch(/--config=|^DATA_IMPORT_DATABASE$/m);
    expect(settings).toMatch(/^DATA_IMPORT_BASE_URL$/m);
    expect(settings).toMatch(/--token-file=|^DATA_IMPORT_TOKEN$/m);
    if (args[0] === 'run') expect(settings).toMatch(/^--distributed$[\s\S]*^DATA_IMPORT_TEAM$/m);
  });

  test('has a longer grace period than its calls in flight', async () => {
    const [, seconds = '0'] = /--drain-within=(\d+)/.exec(args.join(' ')) ?? [];
    expect(Number(seconds)).toBe(args[0] === 'worker' ? 30 : 0);
    expect(graceSeconds).toBeGreaterThan(Number(seconds) + 10);
  });

  test('has no literal secret', () => {
    const secret = Object.keys(environment).filter((name) => /TOKEN|DATABASE|KEY|PASSWORD/.test(name));
    expect(secret.map((name) => environment[name])).toEqual(secret.map(() => undefined));
  });
});

test('a flag that does not exist would be found', async () => {
  expect(await complaintAbout(['worker', '--drain-in=30'])).toContain("unknown option '--drain-in=30'");
});

test('health is served on all addresses of the pod, at the port of probes and policy', () => {
  for (const { args, ports, livenessProbe } of [job, worker]) {
    expect(args).toContain('--health=0.0.0.0:9464');
    expect(ports).toEqual([{ name: 'health', containerPort: 9464 }]);
    expect(livenessProbe).toMatchObject({ httpGet: { path: '/healthz', port: 'health' } });
  }
  expect(worker.readinessProbe).toMatchObject({ httpGet: { path: '/readyz', port: 'health' } });
  expect(kubernetes('NetworkPolicy').ingress).toMatchObject([{ ports: [{ port: 'health' }] }]);
});

test('health is checked inside the container, and not published outside', () => {
  const { command, healthcheck } = services.worker;
  expect(command).toContain('--health=0.0.0.0:9464');
  expect(healthcheck.test.join(' ')).toContain("fetch('http://127.0.0.1:9464/healthz')");
  for (const service of [services.coordinator, services.worker, services.postgres])
    expect(service.ports).toBe(undefined);
});

test('every container of the cluster has a share of the machine, and no more', () => {
  for (const { resources } of [job, worker]) {
    const share = { cpu: expect.any(String), memory: expect.any(String) };
    expect(resources).toEqual({ requests: share, limits: share });
  }
});

test('the budget is for the workers, and leaves one to be moved at a time', () => {
  const { labels: matchLabels } = kubernetes('Deployment').template.metadata;
  const { maxUnavailable, selector } = kubernetes('PodDisruptionBudget');
  expect({ maxUnavailable, selector }).toEqual({ maxUnavailable: 1, selector: { matchLabels } });
});

test('the ledger is reachable only from inside', () => {
  expect([services.postgres.networks, networks.inside]).toEqual([['inside'], { internal: true }]);
});

test('secrets are files outside the repository, and the README creates each', () => {
  const readme = textOf('README.md');
  for (const { file } of Object.values<{ file: string }>(secrets)) {
    expect(file).toMatch(/^\.\/secrets\//);
    expect(readme).toContain(` > ${file.slice('./'.length)}`);
  }
  const files = ['.dockerignore', 'Dockerfile', 'README.md', 'compose.yaml', 'kubernetes.yaml'];
  expect(readdirSync(folder).sort()).toEqual(files);
  expect(manifests.map(({ kind }) => kind)).not.toContain('Secret');
  const used = Object.values<{ secrets: string[] }>(services).flatMap((service) => service.secrets);
  expect([...new Set(used)].sort()).toEqual(Object.keys(secrets).sort());
});

test('the image has the packages of a distributed run, and runs its command without privileges', () => {
  const dockerfile = textOf('Dockerfile');
  const { peerDependencies } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  for (const name of ['pg', 'prom-client']) {
    const [major] = /\d+/.exec(peerDependencies[name]) ?? [];
    expect(dockerfile).toContain(` ${name}@${major}`);
  }
  expect(dockerfile).toMatch(/^USER node$/m);
  expect(dockerfile).toMatch(/^ENTRYPOINT \["data-import-sdk"\]$/m);
});

/** Returns the error of commander; no command runs. */
async function complaintAbout(args: readonly string[]): Promise<string> {
  let complaint = '';
  const writeErr = (text: string) => {
    complaint += text;
  };
  const program = new Command('data-import-sdk').exitOverride().configureOutput({ writeErr });
  for (const command of await allCommands(INERT_CONTEXT)) {
    program.addCommand(command.copyInheritedSettings(program).action(() => {}));
  }
  await program.parseAsync(args, { from: 'user' }).catch((error: CommanderError) => {
    complaint ||= error.message;
  });
  return complaint;
}
