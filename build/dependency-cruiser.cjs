// The one-way rule as data: who may import whom. Every comment names the fix, because it is printed with a violation.
// Patterns are simple on purpose (nested quantifiers are refused by the tool); packages are matched by their folder,
// since dependency types miss a package that package.json does not name. Each rule has a planted violation in
// scripts/boundary-plants.ts: a rule that does not fire on its own plant fails the check.

/** Tests may reach further than the code they test; they are held by their own rules below. */
const TESTS = '[.]test(-d)?[.]tsx?$'
const NODE_BUILTIN = { dependencyTypes: ['core'] }

/** @param {string} name @returns {string} */
const pkg = (name) => `(^|/)node_modules/${name}(/|$)|^${name}(/|$)`

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycle',
      severity: 'error',
      comment: 'Two modules need each other at run time. Move what both need into a third one, or import a type.',
      from: { pathNot: TESTS },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-unresolvable',
      severity: 'error',
      comment: 'The import leads nowhere. Write the path with its .ts ending, or ask for the package in package.json.',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-orphan',
      severity: 'error',
      comment: 'No module imports this file and it imports none. Use it or delete it.',
      from: {
        orphan: true,
        pathNot: [
          TESTS,
          '[.]d[.]ts$',
          '^build/',
          '^test/',
          '^main/workers/',
          '^main/(cli[.]mjs|index[.]ts)$',
          '^electron/(main|preload|child-bootstrap)[.]ts$',
          '^renderer/main[.]tsx$',
        ],
      },
      to: {},
    },
    {
      name: 'shared-imports-pure-packages-only',
      severity: 'error',
      comment:
        'shared/ is isomorphic: it imports zod, the CEL parser, re2js and itself. Move the code to main/ or renderer/.',
      from: { path: '^shared/', pathNot: TESTS },
      to: { pathNot: ['^shared/', pkg('zod'), pkg('@marcbachmann/cel-js'), pkg('re2js')] },
    },
    {
      name: 'nothing-imports-test',
      severity: 'error',
      comment:
        'Only tests (and the tooling of build/) import test/. Move what the product needs into main/ or shared/.',
      from: { path: '^(shared|main|electron|renderer)/', pathNot: TESTS },
      to: { path: ['^test/', TESTS] },
    },
    {
      name: 'nothing-imports-build',
      severity: 'error',
      comment: 'build/ holds tools, never code of the product. Move the code to where it is used.',
      from: { path: '^(shared|main|electron|renderer)/' },
      to: { path: '^build/' },
    },
    {
      name: 'build-imports-named-doors-only',
      severity: 'error',
      comment:
        'A tool may use the contracts, the list of plugins, the OpenAPI builder, the safety registry and the test support; nothing else of the product.',
      from: { path: '^build/' },
      to: {
        path: '^(shared|main|electron|renderer|test)/',
        pathNot: [
          '^shared/contracts/index[.]ts$',
          '^shared/route[.]ts$',
          '^main/host[.]ts$',
          '^main/http/openapi[.]ts$',
          '^test/safety/registry[.]ts$',
          '^test/support/',
        ],
      },
    },
    {
      name: 'electron-imports-host-door-only',
      severity: 'error',
      comment: 'The shell knows the host by main/index.ts alone. Export what it needs there, as a port or an option.',
      from: { path: '^electron/', pathNot: TESTS },
      to: { path: '^(main|renderer)/', pathNot: '^main/index[.]ts$' },
    },
    {
      name: 'only-electron-imports-electron',
      severity: 'error',
      comment:
        'Only electron/ may import the electron package. Add a port in main/kernel/ports.ts and implement it in electron/ports.ts.',
      from: { pathNot: ['^electron/', '^test/desktop/'] },
      to: { path: pkg('electron') },
    },
    {
      name: 'renderer-imports-shared-only',
      severity: 'error',
      comment: 'The screens talk to the host over HTTP and WebSocket only. Import the contract from #shared/contracts.',
      from: { path: '^renderer/', pathNot: TESTS },
      to: { path: '^(main|electron)/' },
    },
    {
      name: 'renderer-has-no-node',
      severity: 'error',
      comment: 'The screens run in a browser. Use a web API, or ask the host.',
      from: { path: '^renderer/', pathNot: TESTS },
      to: NODE_BUILTIN,
    },
    {
      name: 'renderer-features-below-app',
      severity: 'error',
      comment: 'app -> features, never back. Move what a feature needs into components/ or lib/.',
      from: { path: '^renderer/(features|components|fields|lib)/', pathNot: TESTS },
      to: { path: '^renderer/(app/|main[.]tsx$)' },
    },
    {
      name: 'renderer-primitives-below-features',
      severity: 'error',
      comment: 'components, fields and lib know no feature. Pass the value in, or move the file into the feature.',
      from: { path: '^renderer/(components|fields|lib)/', pathNot: TESTS },
      to: { path: '^renderer/features/' },
    },
    {
      name: 'feature-through-its-index',
      severity: 'error',
      comment: 'A feature uses another one through its index.ts only. Export what is needed there.',
      from: { path: '^renderer/features/([^/]+)/', pathNot: TESTS },
      to: {
        path: '^renderer/features/',
        pathNot: ['^renderer/features/$1/', '^renderer/features/[^/]+/index[.]tsx?$'],
      },
    },
    {
      name: 'kernel-imports-shared-only',
      severity: 'error',
      comment: 'kernel/ is mechanism: it imports shared/ and itself. Turn the need into a port or a service.',
      from: { path: '^main/kernel/', pathNot: TESTS },
      to: { path: '^main/', pathNot: '^main/kernel/' },
    },
    {
      name: 'http-imports-kernel-only',
      severity: 'error',
      comment: 'http/ is transport: it imports kernel/ and shared/. Let host.ts pass in what it needs.',
      from: { path: '^main/http/', pathNot: TESTS },
      to: { path: '^main/', pathNot: '^main/(http|kernel)/' },
    },
    {
      name: 'database-imports-kernel-only',
      severity: 'error',
      comment: 'database/ knows no capability and no transport: it imports kernel/ and shared/.',
      from: { path: '^main/database/', pathNot: TESTS },
      to: { path: '^main/', pathNot: '^main/(database|kernel)/' },
    },
    {
      name: 'workers-import-database-and-kernel-only',
      severity: 'error',
      comment: 'A worker is a small killable process: it imports database/ and kernel/. Pass the rest as its input.',
      from: { path: '^main/workers/', pathNot: TESTS },
      to: { path: '^main/', pathNot: '^main/(workers|database|kernel)/' },
    },
    {
      name: 'plugin-imports-mechanism-only',
      severity: 'error',
      comment:
        'A plugin uses kernel/, database/, replication/ and shared/. Reach the rest through the PluginHost it is given.',
      from: { path: '^main/plugins/', pathNot: TESTS },
      to: { path: '^main/', pathNot: '^main/(plugins|kernel|database|replication)/' },
    },
    {
      name: 'plugin-imports-other-api-only',
      severity: 'error',
      comment: "Another plugin's code is private: import the type from its api.ts and call host.service('<id>').",
      from: { path: '^main/plugins/([^/]+)/', pathNot: TESTS },
      to: { path: '^main/plugins/', pathNot: ['^main/plugins/$1/', '^main/plugins/[^/]+/api[.]ts$'] },
    },
    {
      name: 'plugin-imports-other-api-as-type',
      severity: 'error',
      comment: "Write `import type` for another plugin's api.ts; at run time call host.service('<id>').",
      from: { path: '^main/plugins/([^/]+)/', pathNot: TESTS },
      to: { path: '^main/plugins/[^/]+/api[.]ts$', pathNot: '^main/plugins/$1/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'wire-is-pure',
      severity: 'error',
      comment:
        'replication/wire turns values into bytes and back, on devices and on relays alike: it imports cborg (frames), zod (what frames hold), lib0 (envelopes), node:crypto and the types of replication/core. Do what needs more outside of it.',
      from: { path: '^main/replication/wire/', pathNot: TESTS },
      to: {
        pathNot: [
          '^main/replication/(wire/|core/types[.]ts$)',
          ...['cborg', 'zod', 'lib0'].map(pkg),
          '^(node:)?crypto$',
        ],
      },
    },
    {
      name: 'replication-knows-no-owner',
      severity: 'error',
      comment:
        'replication/ is a library of devices and relays: documents, bytes and connections. It imports kernel/ and shared/ beside itself. What knows a plugin, a table or the relay belongs to them.',
      from: { path: '^main/replication/', pathNot: TESTS },
      to: { path: '^main/', pathNot: '^main/(replication|kernel)/' },
    },
    {
      name: 'relay-imports-wire-only',
      severity: 'error',
      comment:
        'A relay runs without a host: it imports kernel/, the opening of SQLite files, replication/wire and the types of replication/core. Move what both need into one of them.',
      from: { path: '^main/relay/', pathNot: ['^main/relay/program/', TESTS] },
      to: {
        path: '^main/',
        pathNot: ['^main/(relay|kernel)/', '^main/database/open[.]ts$', '^main/replication/(wire/|core/types[.]ts$)'],
      },
    },
    {
      name: 'relay-below-its-program',
      severity: 'error',
      comment: 'The relay knows no socket and no process. What needs one belongs into relay/program/.',
      from: { path: '^main/relay/', pathNot: ['^main/relay/program/', TESTS] },
      to: { path: '^main/relay/program/' },
    },
    {
      name: 'relay-program-imports-channel-only',
      severity: 'error',
      comment:
        'The program puts the relay, the channel and a data folder together without a host. Move what it shares with the host into kernel/.',
      from: { path: '^main/relay/program/', pathNot: TESTS },
      to: {
        path: '^main/',
        pathNot: [
          '^main/(relay|kernel)/',
          '^main/(data-dir|program-version)[.]ts$',
          '^main/replication/(channel|wire)/',
        ],
      },
    },
    {
      name: 'hub-imports-database-and-kernel-only',
      severity: 'error',
      comment:
        'hub/ keeps the file of a host in PostgreSQL and knows no capability and no transport: it imports database/, kernel/ and shared/.',
      from: { path: '^main/hub/', pathNot: TESTS },
      to: { path: '^main/', pathNot: '^main/(hub|database|kernel)/' },
    },
    {
      name: 'only-hub-speaks-to-postgres',
      severity: 'error',
      comment:
        'A single machine never loads a client of PostgreSQL. Do it in hub/, which is imported when it is asked for.',
      from: { path: '^(main|shared|electron|renderer)/', pathNot: ['^main/hub/', TESTS] },
      to: { path: pkg('pg') },
    },
    {
      name: 'hub-is-loaded-when-asked-for',
      severity: 'error',
      comment:
        'A single machine loads nothing of the hub. Write `await import(...)` where a hub is asked for, or import a type.',
      from: { path: '^(main|electron)/', pathNot: ['^main/hub/', TESTS] },
      to: { path: '^main/hub/', dependencyTypesNot: ['type-only', 'dynamic-import'] },
    },
    {
      name: 'only-host-names-plugins',
      severity: 'error',
      comment:
        'host.ts is the one file that lists plugins. Outside it, use the types of api.ts, or offline.ts for work on a data directory while no host runs.',
      from: { path: '^main/[^/]+[.]ts$', pathNot: ['^main/host[.]ts$', TESTS] },
      to: { path: '^main/plugins/', pathNot: '^main/plugins/[^/]+/(api|offline)[.]ts$' },
    },
    {
      name: 'only-http-imports-fastify',
      severity: 'error',
      comment: 'Only http/ knows fastify. Write a contract and a handler; http/ mounts them.',
      from: { path: '^(main|shared|electron|renderer)/', pathNot: '^main/http/' },
      // The parser of forms knows no server.
      to: { path: [pkg('fastify'), pkg('@fastify/(?!busboy)[^/]+')] },
    },
    {
      name: 'only-database-opens-sqlite',
      severity: 'error',
      comment: 'Only database/ opens better-sqlite3. Use host.read, host.write or host.heavy.',
      from: { path: '^(main|shared|electron|renderer)/', pathNot: ['^main/database/', TESTS] },
      to: { path: pkg('better-sqlite3') },
    },
    {
      name: 'only-outbound-goes-out',
      severity: 'error',
      comment:
        'Only kernel/outbound.ts makes requests to addresses people choose, behind its guard. Use createOutbound.',
      from: { path: '^(main|shared|electron|renderer)/', pathNot: ['^main/kernel/outbound[.]ts$', TESTS] },
      to: { path: pkg('undici') },
    },
    {
      name: 'only-workers-run-scripts',
      severity: 'error',
      comment: 'The script engine lives in workers/, a process that can be killed. Call it through the pool.',
      from: { path: '^(main|shared|electron|renderer)/', pathNot: '^main/workers/' },
      to: { path: pkg('quickjs-emscripten') },
    },
  ],
  options: {
    // An import of a type is an import: boundaries hold for words as well as for code.
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['^dist/', '^coverage/', '^test/fixtures/'] },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.cjs', '.json', '.d.ts'],
    },
  },
}
