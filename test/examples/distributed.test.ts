/** examples/distributed: what it shows is what the commands take, it drains in time, and no secret stands in it. */
import { readdirSync, readFileSync } from 'node:fs';
import { Command, type CommanderError } from 'commander';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import * as z from 'zod';
import { allCommands, commandsFor, INERT_CONTEXT } from '../../src/cli/commands.js';

const folder = new URL('../../examples/distributed/', import.meta.url);
const textOf = (name: string) => readFileSync(new URL(name, folder), 'utf8');

/** One process of the distributed run, wherever it is described. */
interface Process {
  args: string[];
  /** The names of its environment variables; the value where the file has one. */
  environment: Record<string, string | undefined>;
  graceSeconds: number;
}

const probe = z.object({ httpGet: z.object({ path: z.string(), port: z.string() }) });
const container = z.object({
  args: z.array(z.string()),
  env: z.array(z.object({ name: z.string(), value: z.string().optional() })),
  ports: z.array(z.object({ name: z.string(), containerPort: z.number() })).default([]),
  livenessProbe: probe.optional(),
  readinessProbe: probe.optional(),
  resources: z.object({ requests: z.record(z.string(), z.string()), limits: z.record(z.string(), z.string()) }),
});
const pod = z.object({
  metadata: z.object({ labels: z.record(z.string(), z.string()) }),
  spec: z.object({
    terminationGracePeriodSeconds: z.number(),
    containers: z.tuple([container]),
  }),
});
const workload = z.object({ template: pod });
const labels = z.object({ matchLabels: z.record(z.string(), z.string()) });

function kubernetes<Spec extends z.ZodType>(kind: string, spec: Spec): z.output<Spec> {
  const found = manifests.filter((manifest) => manifest.kind === kind);
  expect(found, kind).toHaveLength(1);
  return spec.parse(found[0]?.spec);
}
const manifests = parseAllDocuments(textOf('kubernetes.yaml')).map((document) => {
  expect(document.errors).toEqual([]);
  return z.object({ kind: z.string(), spec: z.unknown().optional() }).parse(document.toJS());
});
const job = kubernetes('Job', workload).template;
const deployment = kubernetes('Deployment', workload).template;

const service = z.object({
  image: z.string(),
  command: z.array(z.string()).default([]),
  environment: z.record(z.string(), z.string()).default({}),
  stop_grace_period: z
    .string()
    .regex(/^\d+s$/)
    .optional(),
  networks: z.array(z.string()),
  secrets: z.array(z.string()),
  healthcheck: z.object({ test: z.array(z.string()) }).optional(),
  ports: z.unknown().optional(),
});
const compose = z
  .object({
    services: z.object({ coordinator: service, worker: service, postgres: service }),
    networks: z.record(z.string(), z.object({ internal: z.boolean().optional() })),
    secrets: z.record(z.string(), z.object({ file: z.string() })),
  })
  .parse(parse(textOf('compose.yaml'), { merge: true, strict: true }));

function ofCompose({ command, environment, stop_grace_period: grace = '10s' }: z.output<typeof service>): Process {
  return { args: command, environment, graceSeconds: Number.parseInt(grace, 10) };
}
function ofPod({ spec }: z.output<typeof pod>): Process {
  const [{ args, env }] = spec.containers;
  const environment = Object.fromEntries(env.map(({ name, value }) => [name, value]));
  return { args, environment, graceSeconds: spec.terminationGracePeriodSeconds };
}
const processes: Record<string, Process> = {
  'coordinator of compose.yaml': ofCompose(compose.services.coordinator),
  'worker of compose.yaml': ofCompose(compose.services.worker),
  'coordinator of kubernetes.yaml': ofPod(job),
  'worker of kubernetes.yaml': ofPod(deployment),
};

describe.each(Object.entries(processes))('%s', (_, { args, environment, graceSeconds }) => {
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

describe('health', () => {
  test('is served on all addresses of the pod, at the port of probes and policy', () => {
    for (const { spec } of [job, deployment]) {
      const [{ args, ports, livenessProbe }] = spec.containers;
      expect(args).toContain('--health=0.0.0.0:9464');
      expect(ports).toEqual([{ name: 'health', containerPort: 9464 }]);
      expect(livenessProbe).toEqual({ httpGet: { path: '/healthz', port: 'health' } });
    }
    const [{ readinessProbe }] = deployment.spec.containers;
    expect(readinessProbe).toEqual({ httpGet: { path: '/readyz', port: 'health' } });
    const { ingress } = kubernetes(
      'NetworkPolicy',
      z.object({ ingress: z.array(z.object({ ports: z.array(z.object({ port: z.string() })) })) }),
    );
    expect(ingress).toEqual([{ ports: [{ port: 'health' }] }]);
  });

  test('is checked inside the container, and not published outside', () => {
    const { command, healthcheck } = compose.services.worker;
    expect(command).toContain('--health=0.0.0.0:9464');
    expect(healthcheck?.test.join(' ')).toContain("fetch('http://127.0.0.1:9464/healthz')");
    expect(Object.values(compose.services).map(({ ports }) => ports)).toEqual([undefined, undefined, undefined]);
  });
});

test('every container of the cluster has a share of the machine, and no more', () => {
  for (const { spec } of [job, deployment]) {
    const [{ resources }] = spec.containers;
    expect(Object.keys(resources.requests).sort()).toEqual(['cpu', 'memory']);
    expect(Object.keys(resources.limits).sort()).toEqual(['cpu', 'memory']);
  }
});

test('the budget is for the workers, and leaves one to be moved at a time', () => {
  const budget = kubernetes('PodDisruptionBudget', z.object({ maxUnavailable: z.number(), selector: labels }));
  expect(budget).toEqual({ maxUnavailable: 1, selector: { matchLabels: deployment.metadata.labels } });
});

test('the ledger is reachable only from inside', () => {
  expect(compose.services.postgres.networks).toEqual(['inside']);
  expect(compose.networks['inside']).toEqual({ internal: true });
});

test('secrets are files outside the repository, and the README creates each', () => {
  const files = Object.values(compose.secrets).map(({ file }) => file);
  const readme = textOf('README.md');
  for (const file of files) {
    expect(file).toMatch(/^\.\/secrets\//);
    expect(readme).toContain(` > ${file.slice('./'.length)}`);
  }
  expect(readdirSync(folder).sort()).toEqual([
    '.dockerignore',
    'Dockerfile',
    'README.md',
    'compose.yaml',
    'kubernetes.yaml',
  ]);
  expect(manifests.map(({ kind }) => kind)).not.toContain('Secret');
  const used = Object.values(compose.services).flatMap(({ secrets }) => secrets);
  expect([...new Set(used)].sort()).toEqual(Object.keys(compose.secrets).sort());
});

test('the image has the packages of a distributed run, and runs its command without privileges', () => {
  const dockerfile = textOf('Dockerfile');
  const { peerDependencies } = z
    .object({ peerDependencies: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')));
  for (const name of ['pg', 'prom-client']) {
    const [major] = /\d+/.exec(peerDependencies[name] ?? '') ?? [];
    expect(dockerfile).toContain(` ${name}@${major}`);
  }
  expect(dockerfile).toMatch(/^USER node$/m);
  expect(dockerfile).toMatch(/^ENTRYPOINT \["data-import-sdk"\]$/m);
});

/** Returns the error of commander; no command runs. */
async function complaintAbout(args: readonly string[]): Promise<string> {
  let complaint = '';
  const program = new Command('data-import-sdk').exitOverride().configureOutput({
    writeErr(text) {
      complaint += text;
    },
  });
  for (const command of await allCommands(INERT_CONTEXT)) {
    program.addCommand(command.copyInheritedSettings(program).action(() => {}));
  }
  await program.parseAsync(args, { from: 'user' }).catch((error: CommanderError) => {
    complaint ||= error.message;
  });
  return complaint;
}
